"""What heads do in a model: questions that are answered by numbers, each by running the model or by its weights."""
