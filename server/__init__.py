"""The post office: tables kept until their players call for them."""
