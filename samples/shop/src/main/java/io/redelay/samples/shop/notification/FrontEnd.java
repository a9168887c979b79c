package io.redelay.samples.shop.notification;

import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.redelay.queue.work.Idempotency;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * What the front end has been given. All instances try to push each notification, and one
 * of them does.
 */
@Component
class FrontEnd {

	private static final Logger logger = LoggerFactory.getLogger(FrontEnd.class);

	private static final Duration KEPT = Duration.ofDays(1);

	private final Idempotency idempotency;

	private final JdbcClient jdbc;

	FrontEnd(Idempotency idempotency, JdbcClient jdbc) {
		this.idempotency = idempotency;
		this.jdbc = jdbc;
	}

	/**
	 * Pushes a notification unless it was pushed, in whatever instance.
	 */
	void push(Notification notification) {
		boolean pushed = this.idempotency.once("notification/" + notification.id(), KEPT, () -> show(notification));
		logger.info("The notification {} {}", notification.id(), pushed ? "was pushed" : "had been pushed already");
	}

	private void show(Notification notification) {
		this.jdbc.sql("insert into notification (id, text, pushed_at) values (:id, :text, :at)")
			.param("id", notification.id())
			.param("text", notification.text())
			.param("at", Timestamp.from(Instant.now()))
			.update();
	}

	List<Notification> notifications() {
		return this.jdbc.sql("select id, text from notification order by number")
			.query((row, number) -> new Notification(row.getString("id"), row.getString("text")))
			.list();
	}

}
