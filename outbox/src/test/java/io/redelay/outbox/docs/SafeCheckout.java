package io.redelay.outbox.docs;

import java.time.Duration;

import io.redelay.outbox.OutboxOperations;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class SafeCheckout {

	private final JdbcClient jdbc;

	private final OutboxOperations outbox;

	public SafeCheckout(JdbcClient jdbc, OutboxOperations outbox) {
		this.jdbc = jdbc;
		this.outbox = outbox;
	}

	@Transactional
	public void place(String orderId) {
		this.outbox.send("payment-timeouts", new TimeIsUp(orderId), Duration.ofMinutes(30));
		this.jdbc.sql("INSERT INTO placed_order (id) VALUES (?)").param(orderId).update();
	}

	public record TimeIsUp(String orderId) {
	}

}
