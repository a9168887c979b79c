package io.redelay.queue.admin.engine;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.redelay.log.PlainLog;
import io.redelay.queue.QueueException;
import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.InstanceListener;
import io.redelay.queue.admin.LimitsChange;
import io.redelay.queue.admin.ListenedQueue;
import io.redelay.queue.admin.QueueLimit;
import io.redelay.queue.admin.QueueLimitAdmin;
import io.redelay.queue.admin.QueueLimits;
import io.redelay.queue.admin.engine.access.CommandSender;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.admin.engine.instance.InstanceDirectory;
import io.redelay.queue.event.QueueEvent;
import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.LimitWords;
import io.redelay.queue.message.StoredLimits;
import io.redelay.queue.script.admin.AdminScripts;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Reads and changes the limits of queues that hold for all instances.
 *
 * @param lengths what senders of this application declare, by queue
 * @param instance the display name of this instance
 */
record QueueLimitTemplate(AdminScripts store, QueueAccess queues, CommandSender commands, InstanceDirectory instances,
		Map<String, LengthLimit> lengths, String instance) implements QueueLimitAdmin {

	private static final Log logger = PlainLog.of(QueueLimitTemplate.class);

	@Override
	public QueueLimits of(String queue) {
		this.queues.check(queue);
		return look(queue);
	}

	private QueueLimits look(String queue) {
		StoredLimits set = set(queue);
		List<InstanceInfo> running = StoreCalls.await(this.instances.ask());
		List<QueueLimits.Entry> entries = new ArrayList<>();
		for (QueueLimit limit : QueueLimit.values()) {
			entries.add(entry(limit, set(set, limit), declared(queue, limit, running)));
		}
		return new QueueLimits(queue, entries, set.changedAt(), set.changedBy());
	}

	/**
	 * The limits that are set; the first partition has them, as it has the flags.
	 */
	private StoredLimits set(String queue) {
		return StoreCalls.await(this.store.count().run(this.queues.partitions(queue).get(0))).limits();
	}

	private static QueueLimits.Entry entry(QueueLimit limit, @Nullable String set,
			List<QueueLimits.Declared> declared) {
		if (set != null) {
			return new QueueLimits.Entry(limit, QueueLimits.Origin.SET, List.of(set), set, declared);
		}
		return new QueueLimits.Entry(limit, declared.isEmpty() ? QueueLimits.Origin.NONE : QueueLimits.Origin.DECLARED,
				declared.stream().map(QueueLimits.Declared::value).toList(), null, declared);
	}

	private static @Nullable String set(StoredLimits set, QueueLimit limit) {
		ClaimLimits claims = set.claims();
		return text(switch (limit) {
			case RATE_LIMIT -> claims.rate();
			case MAX_IN_FLIGHT -> claims.maxInFlight();
			case KEY_RATE_LIMIT -> claims.keyRate();
			case KEY_MAX_IN_FLIGHT -> claims.keyMaxInFlight();
			case ORDERING_KEY_MAX_LENGTH -> set.lineLength();
		});
	}

	private List<QueueLimits.Declared> declared(String queue, QueueLimit limit, List<InstanceInfo> running) {
		LengthLimit length = this.lengths.get(queue);
		if (limit == QueueLimit.ORDERING_KEY_MAX_LENGTH) {
			return (length == null || length.lineLength() == null) ? List.of()
					: List.of(new QueueLimits.Declared(length.lineLength().toString(),
							List.of("redelay.queue.queues." + queue + ".ordering-key-max-length")));
		}
		Map<String, Set<String>> listeners = new TreeMap<>();
		for (InstanceInfo each : running) {
			for (InstanceListener listener : each.listeners()) {
				for (ListenedQueue listened : listener.queues()) {
					String value = listened.queue().equals(queue) ? declared(listened, limit) : null;
					if (value != null) {
						listeners.computeIfAbsent(value, (first) -> new TreeSet<>()).add(listener.id());
					}
				}
			}
		}
		List<QueueLimits.Declared> declared = new ArrayList<>();
		listeners.forEach((value, ids) -> declared.add(new QueueLimits.Declared(value, List.copyOf(ids))));
		return declared;
	}

	private static @Nullable String declared(ListenedQueue listened, QueueLimit limit) {
		return text(switch (limit) {
			case RATE_LIMIT -> listened.rateLimit();
			case MAX_IN_FLIGHT -> listened.maxInFlight();
			case KEY_RATE_LIMIT -> listened.keyRateLimit();
			case KEY_MAX_IN_FLIGHT -> listened.keyMaxInFlight();
			case ORDERING_KEY_MAX_LENGTH -> null;
		});
	}

	private static @Nullable String text(@Nullable Object value) {
		return (value != null) ? value.toString() : null;
	}

	@Override
	public QueueLimits clear(String queue) {
		return change(queue, LimitsChange.clearAll());
	}

	@Override
	public QueueLimits change(String queue, LimitsChange change) {
		this.queues.check(queue);
		Assert.isTrue(!change.isEmpty(), "'change' must name at least one limit to set or to clear");
		List<String> all = this.queues.partitions(queue);
		if (all.size() > 1) {
			refuseForPartitions(queue, all.size(), change);
		}
		StoredLimits before = set(queue);
		boolean changed = false;
		for (String partition : all) { // the first one first, as flags are set
			changed |= this.commands.setLimits(partition, this.instance, words(change));
		}
		QueueLimits after = look(queue);
		if (changed) {
			changed(after, before, change);
		}
		return after;
	}

	private static void refuseForPartitions(String queue, int partitions, LimitsChange change) {
		Set<String> refused = change.values()
			.keySet()
			.stream()
			.filter((limit) -> limit != QueueLimit.ORDERING_KEY_MAX_LENGTH)
			.map(QueueLimit::attribute)
			.collect(Collectors.toCollection(LinkedHashSet::new));
		if (!refused.isEmpty()) {
			throw new QueueException("The queue '" + queue + "' has " + partitions
					+ " partitions, and no script can count over more than one: it cannot have "
					+ String.join(", ", refused) + ". Leave the limit out, or have the queue in one partition");
		}
	}

	private static String words(LimitsChange change) {
		List<String> words = new ArrayList<>();
		change.values().forEach((limit, value) -> words.add(LimitWords.word(name(limit), switch (limit) {
			case RATE_LIMIT, KEY_RATE_LIMIT -> LimitWords.rate(RateLimit.parse(value));
			default -> value;
		})));
		change.cleared().forEach((limit) -> words.add(LimitWords.word(name(limit), LimitWords.NONE)));
		return String.join(" ", words);
	}

	private static String name(QueueLimit limit) {
		return switch (limit) {
			case RATE_LIMIT -> LimitWords.RATE;
			case MAX_IN_FLIGHT -> LimitWords.IN_FLIGHT;
			case KEY_RATE_LIMIT -> LimitWords.KEY_RATE;
			case KEY_MAX_IN_FLIGHT -> LimitWords.KEY_IN_FLIGHT;
			case ORDERING_KEY_MAX_LENGTH -> LimitWords.LINE;
		};
	}

	/**
	 * Called when this instance has changed limits of a queue, once for each change.
	 */
	private void changed(QueueLimits after, StoredLimits before, LimitsChange change) {
		String differences = after.entries()
			.stream()
			.filter((entry) -> !Objects.equals(entry.set(), set(before, entry.limit())))
			.map((entry) -> entry.limit().attribute() + " from " + shown(set(before, entry.limit())) + " to "
					+ shown(entry.set()))
			.collect(Collectors.joining(", "));
		String what = differences.isEmpty() ? change.toString() : differences;
		logger.info("The limits of the queue '" + after.queue() + "' are changed for all instances: " + what);
		this.store.observers().changed(QueueEvent.Type.LIMITS_CHANGED, after.queue(), Instant.now(), 0, what);
	}

	private static String shown(@Nullable String set) {
		return (set != null) ? set : "what is declared";
	}

}
