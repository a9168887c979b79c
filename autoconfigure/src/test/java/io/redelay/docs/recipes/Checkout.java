package io.redelay.docs.recipes;

import java.time.Duration;

import io.redelay.queue.QueueOperations;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
class Checkout {

	private final JdbcClient jdbc;

	private final QueueOperations queues;

	Checkout(JdbcClient jdbc, QueueOperations queues) {
		this.jdbc = jdbc;
		this.queues = queues;
	}

	@Transactional
	void place(String orderId) {
		this.queues.send("payment-timeouts", new TimeIsUp(orderId), Duration.ofMinutes(30));
		this.jdbc.sql("INSERT INTO placed_order (id) VALUES (?)").param(orderId).update();
	}

	record TimeIsUp(String orderId) {
	}

}
