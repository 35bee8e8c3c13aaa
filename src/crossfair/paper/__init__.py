"""The paper's experiments and what they stand on, as code that runs again."""
