-- Addresses that readers ask for in vain and that the owner of a site does not want to see listed, as JSON.
ALTER TABLE site_choices ADD COLUMN hidden_addresses TEXT NOT NULL DEFAULT '[]';
