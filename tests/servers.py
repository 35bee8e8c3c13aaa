"""Real servers for tests: PostgreSQL, a Spark cluster and a Dask cluster, one of each per process.

Fixtures for any test, by `conftest.py`. Each starts when the first test asks for it and is stopped after
the last one; tests that ask for one of them are sent to the same process, so that it starts once.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from components import absent, require, require_program

# The process for each; a test that asks for several goes where what starts slowest runs.
PROCESSES = {"spark": "clusters", "workers": "clusters", "postgres": "postgres"}


def group_by_server(items: list[pytest.Item]) -> None:
    """Send the tests that need a server to one process each, where tests run in several."""
    for item in items:
        asked = [PROCESSES[name] for name in PROCESSES if name in getattr(item, "fixturenames", ())]
        if asked:
            item.add_marker(pytest.mark.xdist_group(asked[0]))


@pytest.fixture(scope="session")
def postgres() -> Iterator[Any]:
    """A psycopg connection to a PostgreSQL server of its own, which listens on a Unix socket only.

    The connection commits by itself. `connection.info.dsn` tells another client how to connect.
    """
    psycopg = require("psycopg")
    with (
        _cluster(_postgres_programs()) as socket,
        psycopg.connect(f"host={socket} user=crossfair dbname=postgres", autocommit=True) as connection,
    ):
        yield connection


def _postgres_programs() -> Path:
    """The folder of initdb and pg_ctl, which Debian does not put on the PATH."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    return versions[-1].parent if versions else absent("PostgreSQL server (initdb)")


@contextlib.contextmanager
def _cluster(programs: Path) -> Iterator[Path]:
    """Run a server with a cluster of its own; as another user than root, whom PostgreSQL refuses."""
    user = _other_user() if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="pg-"))  # a socket's path has room for a hundred characters

    def run(program: str, *arguments: str | Path) -> None:
        # Into a file: the server would keep a pipe open for as long as it runs.
        with (folder / "output").open("w+") as output:
            done = subprocess.run(
                [programs / program, *arguments], user=user, cwd=folder,
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, check=False,
            )  # fmt: skip
            output.seek(0)
            assert done.returncode == 0, f"{program}: {output.read()}"

    try:
        if user is not None:
            shutil.chown(folder, user)
        data = folder / "data"
        run("initdb", "-D", data, "-U", "crossfair", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        settings = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off -c jit=off"
        run("pg_ctl", "-D", data, "-w", "-t", "60", "-l", folder / "log", "-o", settings, "start")
        try:
            yield folder
        finally:
            run("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


def _other_user() -> str:
    import pwd

    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session on a Spark cluster of two executors, each a process of its own with one core; UTC."""
    require_program("java")
    builder = require("pyspark.sql").SparkSession.builder
    folder = tmp_path_factory.mktemp("spark")
    for name, value in _spark_settings(folder).items():
        builder = builder.config(name, value)
    settings = {"PYSPARK_SUBMIT_ARGS": "pyspark-shell", "PYSPARK_PYTHON": sys.executable}
    with _environment(**settings, SPARK_LOCAL_IP="127.0.0.1", SPARK_HOME=str(_spark_home(folder))):
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        yield session
        session.stop()


def _spark_home(folder: Path) -> Path:
    """Spark as it is installed, but in a folder where its workers may write."""
    home = folder / "home"
    home.mkdir()
    for part in Path(require("pyspark").__file__).parent.iterdir():
        (home / part.name).symlink_to(part)
    return home


def _spark_settings(folder: Path) -> dict[str, str]:
    java = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
    return {
        "spark.master": "local-cluster[2,1,1024]",
        "spark.app.name": "crossfair tests",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": f"{java} -Dderby.system.home={folder} -Djava.io.tmpdir={folder}",
        "spark.executor.memory": "1g",
        "spark.executor.extraJavaOptions": f"{java} -Djava.io.tmpdir={folder}",
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.default.parallelism": "2",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }


@pytest.fixture(scope="session")
def workers() -> Iterator[Any]:
    """A client of a Dask cluster of two processes."""
    distributed = require("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address="127.0.0.1:0",  # any free port
            host="127.0.0.1",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@contextlib.contextmanager
def _environment(**changes: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
