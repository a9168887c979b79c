package io.redelay.outbox.jdbc;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.redelay.log.PlainLog;
import io.redelay.outbox.jdbc.OutboxRow.Destination;
import org.apache.commons.logging.Log;

/**
 * Logs once that messages to a destination cannot be sent, and once that they can again.
 * <p>
 * Safe for use by many threads.
 */
final class FailureLog {

	private static final Log logger = PlainLog.of(FailureLog.class);

	private final Set<Destination> failing = ConcurrentHashMap.newKeySet();

	void failed(Destination to, List<Long> numbers, Throwable failure) {
		String what = numbers.size() + " message(s) of the outbox to " + to + " could not be sent, stay in it and are "
				+ "tried again: " + failure.getMessage() + ". OutboxAdmin lists, retries and deletes them; the first "
				+ "has the number " + numbers.get(0);
		if (this.failing.add(to)) {
			logger.warn(what);
		}
		else {
			logger.debug(what, failure);
		}
	}

	void succeeded(Destination to) {
		if (!this.failing.isEmpty() && this.failing.remove(to)) {
			logger.info("Messages of the outbox to " + to + " are sent again");
		}
	}

}
