"""The judge: rebuilds rounds from the log and settles every wager again under the regulation in force."""
