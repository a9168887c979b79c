package io.redelay.docs.recipes;

import io.redelay.lock.MyLock;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
class Stock {

	private final JdbcClient jdbc;

	Stock(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	@MyLock(name = "stock:#{line.article}", waitTime = 5)
	@Transactional
	public boolean reserve(OrderLine line) {
		int left = this.jdbc.sql("SELECT pieces FROM stock WHERE article = ?")
			.param(line.article())
			.query(Integer.class)
			.single();
		return left >= line.pieces() && this.jdbc.sql("UPDATE stock SET pieces = ? WHERE article = ?")
			.params(left - line.pieces(), line.article())
			.update() == 1;
	}

	record OrderLine(String article, int pieces) {
	}

}
