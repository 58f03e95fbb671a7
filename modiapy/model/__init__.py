"""What a user writes: models and their merging, the expression language, errors."""
