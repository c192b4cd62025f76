"""The pure half of Poste Restante: rules, chance, records. No clock, no network, no disk, no database."""
