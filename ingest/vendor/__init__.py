"""What the readers of tracing products' exports share: values, layouts of JSON files, CSV rows, zip members."""
