"""Force elements, one per file: fields, kernels, and the declaration that names them; gravity that varies, too."""
