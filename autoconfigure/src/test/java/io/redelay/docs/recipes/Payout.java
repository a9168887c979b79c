package io.redelay.docs.recipes;

import io.redelay.lock.LeaseLost;
import io.redelay.lock.LockContext;
import io.redelay.lock.MyLock;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
class Payout {

	private final JdbcClient jdbc;

	Payout(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	@MyLock(name = "payout:#{id}", lockProvider = "fencedLockProvider", onLeaseLost = LeaseLost.THROW) // <1>
	@Transactional
	public boolean pay(long id) {
		return this.jdbc.sql("UPDATE payout SET paid = TRUE, token = :token WHERE id = :id AND token < :token") // <2>
			.param("token", LockContext.currentToken())
			.param("id", id)
			.update() == 1;
	}

}
