"""The command line, made with click: `main`, one file per command; what they share (`options`, `source`, `outputs`, ...)."""
