package io.redelay.outbox.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.redelay.log.PlainLog;
import io.redelay.outbox.OutboxListener;
import io.redelay.outbox.jdbc.OutboxRow.Destination;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.QueueClosedException;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.request.StoreException;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * One batch of a relay: takes messages from the table, sends them, and removes those that
 * were sent. A message that cannot be sent goes back and waits, together with those
 * behind it with the same ordering key.
 */
final class RelayRound {

	private static final Log logger = PlainLog.of(RelayRound.class);

	private static final long MOST_BYTES = 4L * 1024 * 1024;

	private final OutboxTable table;

	private final BiConsumer<Destination, List<NewMessage>> sender;

	private final RelaySettings settings;

	private final List<OutboxListener> listeners;

	private final FailureLog failures;

	private final List<Long> sent = new ArrayList<>();

	private final List<Long> released = new ArrayList<>();

	private final Set<OutboxRow.Line> stopped = new HashSet<>();

	private @Nullable Duration nextTry;

	private boolean away;

	RelayRound(OutboxTable table, BiConsumer<Destination, List<NewMessage>> sender, RelaySettings settings,
			List<OutboxListener> listeners, FailureLog failures) {
		this.table = table;
		this.sender = sender;
		this.settings = settings;
		this.listeners = listeners;
		this.failures = failures;
	}

	/**
	 * Relays the next messages.
	 */
	Result run() {
		List<OutboxRow> rows = this.table.take(this.settings.batchSize(), MOST_BYTES, this.settings.leaseTime());
		Map<Destination, List<OutboxRow>> byDestination = new LinkedHashMap<>();
		rows.forEach((row) -> byDestination.computeIfAbsent(row.to(), (to) -> new ArrayList<>()).add(row));
		byDestination.forEach(this::relay);
		if (!this.released.isEmpty()) {
			this.table.release(this.released);
		}
		return new Result(rows.size(), this.away, this.nextTry);
	}

	private void relay(Destination to, List<OutboxRow> rows) {
		this.sent.clear();
		send(to, rows);
		if (!this.sent.isEmpty()) {
			this.table.remove(this.sent);
			this.failures.succeeded(to);
			notifyListeners((listener) -> listener.onRelayed(to.name(), this.sent.size()));
		}
	}

	/**
	 * Sends messages together. If that fails, it is tried in halves, until it is known
	 * which of them cannot be sent.
	 */
	private void send(Destination to, List<OutboxRow> rows) {
		List<OutboxRow> next = new ArrayList<>(rows.size());
		for (OutboxRow row : rows) {
			if (this.away || (row.line() != null && this.stopped.contains(row.line()))) {
				this.released.add(row.number());
			}
			else {
				next.add(row);
			}
		}
		if (next.isEmpty()) {
			return;
		}
		RuntimeException failure = attempt(to, next);
		if (failure == null) {
			next.forEach((row) -> this.sent.add(row.number()));
		}
		else if (StoreException.isAway(failure.getCause())) {
			logger.debug("The outbox keeps " + next.size() + " message(s) to " + to + " until Redis answers", failure);
			this.away = true;
			next.forEach((row) -> this.released.add(row.number()));
		}
		else if (next.size() == 1 || failure instanceof QueueClosedException) {
			failed(to, next, failure);
		}
		else {
			send(to, next.subList(0, next.size() / 2));
			send(to, next.subList(next.size() / 2, next.size()));
		}
	}

	private @Nullable RuntimeException attempt(Destination to, List<OutboxRow> rows) {
		try {
			this.sender.accept(to, rows.stream().map((row) -> MessageText.read(row.text(), row.delay())).toList());
			return null;
		}
		catch (MessageSendException | IllegalArgumentException ex) {
			return ex;
		}
		catch (RuntimeException ex) {
			// A defect that one message meets must not hold up the others of its batch.
			return new MessageSendException(ex.toString(), ex);
		}
	}

	private void failed(Destination to, List<OutboxRow> rows, RuntimeException failure) {
		Duration wait = this.settings.wait(rows.stream().mapToInt(OutboxRow::attempts).min().orElse(1));
		List<Long> numbers = rows.stream().map(OutboxRow::number).toList();
		this.table.failed(numbers, wait, String.valueOf(failure.getMessage()));
		rows.stream().map(OutboxRow::line).filter(Objects::nonNull).forEach(this.stopped::add);
		if (this.nextTry == null || wait.compareTo(this.nextTry) < 0) {
			this.nextTry = wait;
		}
		this.failures.failed(to, numbers, failure);
		notifyListeners((listener) -> listener.onFailed(to.name(), numbers.size(), failure));
	}

	private void notifyListeners(Consumer<OutboxListener> call) {
		for (OutboxListener listener : this.listeners) {
			try {
				call.accept(listener);
			}
			catch (Throwable ex) {
				logger.warn("The OutboxListener " + listener.getClass().getName()
						+ " failed, which changes nothing for the outbox", ex);
			}
		}
	}

	/**
	 * The result of a batch.
	 *
	 * @param taken how many messages it had
	 * @param away whether Redis did not answer
	 * @param nextTry when one of those that failed is to be sent again, if any failed
	 */
	record Result(int taken, boolean away, @Nullable Duration nextTry) {

	}

}
