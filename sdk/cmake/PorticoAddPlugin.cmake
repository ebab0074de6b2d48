# portico_add_plugin() comes with host/plugins.
