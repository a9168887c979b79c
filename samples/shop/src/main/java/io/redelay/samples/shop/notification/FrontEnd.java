package io.redelay.samples.shop.notification;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;

import org.redisson.api.RMap;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.stereotype.Component;

/**
 * What the front end has been given, kept in Redis, where all instances see it: the first
 * one that pushes a notification succeeds, and the others find it there, as does one that
 * is given its message again after a crash.
 */
@Component
class FrontEnd {

	private static final Logger logger = LoggerFactory.getLogger(FrontEnd.class);

	private static final Duration KEPT = Duration.ofDays(1);

	private final RMap<String, String> pushed;

	private final JsonMapper mapper;

	FrontEnd(RedissonClient redisson, JsonMapper mapper) {
		this.pushed = redisson.getMap("shop:notifications", StringCodec.INSTANCE);
		this.mapper = mapper;
	}

	/**
	 * Pushes a notification unless it was pushed.
	 */
	void push(Notification notification) {
		String entry = this.mapper
			.writeValueAsString(new Pushed(notification.id(), notification.text(), System.currentTimeMillis()));
		boolean first = this.pushed.fastPutIfAbsent(notification.id(), entry);
		this.pushed.expire(KEPT);
		logger.info("The notification {} {}", notification.id(), first ? "was pushed" : "had been pushed already");
	}

	List<Notification> notifications() {
		return this.pushed.readAllValues()
			.stream()
			.map((entry) -> this.mapper.readValue(entry, Pushed.class))
			.sorted(Comparator.comparingLong(Pushed::at))
			.map((entry) -> new Notification(entry.id(), entry.text()))
			.toList();
	}

	/**
	 * A notification that the front end has.
	 */
	record Pushed(String id, String text, long at) {

	}

}
