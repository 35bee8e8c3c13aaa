"""Side by side with peers or with the bare engine, in one run; ratios count, seconds are this machine's."""
