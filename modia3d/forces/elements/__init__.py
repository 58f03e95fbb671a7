"""What acts, one element per file: its fields, its kernels, and the declaration that names them; gravity that varies, too."""
