"use strict";
// Sorting, searching, filtering and the slider. Everything shown comes ready from the page; nothing is computed here.
(() => {
  const MOST = 200; // rows shown at once on a screen; print has all
  const collator = new Intl.Collator(undefined, { numeric: true });

  const key = (cell) => (cell.dataset.sort === undefined ? cell.textContent.trim() : Number(cell.dataset.sort));
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : collator.compare(a, b));

  const sortable = (table, changed) => {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const first = heading.classList.contains("number") ? "descending" : "ascending";
        const second = first === "ascending" ? "descending" : "ascending";
        const order = heading.getAttribute("aria-sort") === first ? second : first;
        headings.forEach((other) => other.removeAttribute("aria-sort"));
        heading.setAttribute("aria-sort", order);
        const sign = order === "ascending" ? 1 : -1;
        const rows = [...table.tBodies[0].rows].map((row) => [key(row.cells[column]), row]);
        rows.sort((a, b) => sign * compare(a[0], b[0]));
        table.tBodies[0].append(...rows.map(([, row]) => row));
        changed();
      });
    });
  };

  const searchable = (table) => {
    const tools = document.querySelector(`[data-tools="${table.id}"]`);
    const search = tools.querySelector("[data-search]");
    const filters = [...tools.querySelectorAll("[data-filter]")];
    const status = tools.querySelector("[data-status]");
    const more = document.createElement("button");
    const places = filters.map((select) => Number(select.dataset.filter)); // names are searched, not figures
    const names = (row) => places.map((place) => row.cells[place].textContent.toLowerCase()).join("\n");
    const texts = new Map([...table.tBodies[0].rows].map((row) => [row, names(row)]));
    let most = MOST;

    filters.forEach((select) => {
      const column = Number(select.dataset.filter);
      const found = new Set([...table.tBodies[0].rows].map((row) => row.cells[column].textContent));
      [...found].sort(collator.compare).forEach((text) => select.append(new Option(text, text)));
    });

    const wanted = (row, words) =>
      words.every((word) => texts.get(row).includes(word)) &&
      filters.every(({ value, dataset }) => !value || row.cells[Number(dataset.filter)].textContent === value);

    const show = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      [...table.tBodies[0].rows].forEach((row) => {
        const within = wanted(row, words);
        row.classList.toggle("out", !within);
        row.classList.toggle("more", within && shown >= most);
        shown += within ? 1 : 0;
      });
      status.textContent = `${Math.min(shown, most)} of ${texts.size} rows`;
      more.hidden = shown <= most;
    };

    more.type = "button";
    more.className = "more";
    more.textContent = "Show all";
    more.addEventListener("click", () => {
      most = Infinity;
      show();
    });
    tools.append(more);
    [search, ...filters].forEach((control) => control.addEventListener("input", show));
    tools.hidden = false;
    show();
    return show;
  };

  const slider = (input) => {
    const name = input.dataset.slider;
    const whole = document.querySelector(`[data-frontier="${name}"]`);
    const points = JSON.parse(document.getElementById(`${name}-points`).textContent);
    const rows = [...whole.querySelector("tbody").rows];
    const now = document.getElementById(`${name}-now`);
    const mark = (place, on) =>
      points[place].marks.forEach((at) => {
        const marks = whole.querySelectorAll("svg .mark-symbol path");
        if (marks[at]) marks[at].classList.toggle("here", on);
      });
    let last = null;
    const show = () => {
      const place = Number(input.value);
      const point = points[place];
      now.textContent = point.words;
      input.setAttribute("aria-valuetext", point.words);
      point.cells.forEach((items, row) =>
        items.forEach(([column, text, share]) => {
          const cell = rows[row].cells[column];
          cell.textContent = text;
          if (share !== null) cell.style.setProperty("--share", share);
        })
      );
      if (last !== null) mark(last, false);
      mark(place, true);
      last = place;
    };
    input.addEventListener("input", show);
    document.querySelector(`[data-control="${name}"]`).hidden = false;
    show();
  };

  document.querySelectorAll("table.data").forEach((table) => {
    const changed = table.hasAttribute("data-searchable") ? searchable(table) : () => {};
    sortable(table, changed);
  });
  document.querySelectorAll("[data-slider]").forEach(slider);
})();
