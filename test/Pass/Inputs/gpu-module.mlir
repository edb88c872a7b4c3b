module attributes {gpu.container_module} { gpu.module @m { } }
