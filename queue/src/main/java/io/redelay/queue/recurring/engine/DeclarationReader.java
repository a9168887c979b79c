package io.redelay.queue.recurring.engine;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.limits.QueueName;
import io.redelay.queue.limits.TagName;
import io.redelay.queue.message.EnvelopeException;
import io.redelay.queue.recurring.InvalidRecurringMessageException;
import io.redelay.queue.recurring.MissedTicks;
import io.redelay.queue.recurring.OverlappingRuns;
import io.redelay.queue.recurring.RecurringDeclaration;
import io.redelay.queue.send.ConvertedPayload;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.converter.MessageConverter;

/**
 * Checks declarations, and converts them to the form that is kept in Redis.
 *
 * @since 0.1.0
 */
public final class DeclarationReader {

	private static final Duration SHORTEST = Duration.ofMillis(100);

	private static final Duration LONGEST = Duration.ofDays(3650);

	private static final int MOST = 1000;

	/**
	 * The payload is in each message and in what is kept of the recurring message.
	 */
	private static final int MOST_BYTES = 64 * 1024;

	private final MessageConverter converter;

	private final LimitsReader limits = new LimitsReader();

	private final OptionsReader options;

	private final TickMessages messages;

	/**
	 * Creates a reader.
	 * @param converter converts payloads
	 * @param mapper writes headers
	 * @param messages creates the messages of ticks
	 */
	DeclarationReader(MessageConverter converter, JsonMapper mapper, TickMessages messages) {
		this.converter = converter;
		this.messages = messages;
		this.options = new OptionsReader(mapper);
	}

	StoredDeclaration read(RecurringDeclaration declaration, String place) {
		checkName(declaration.name(), place);
		checkQueue(declaration.queue(), place);
		check(declaration.cron() == null || declaration.every() == null, place,
				"it has a cron expression and an interval", "Leave out one of them");
		check(declaration.zone() == null || declaration.cron() != null, place, "it has a zone but no cron expression",
				"Leave out the zone: an interval has none");
		range(declaration.maxMissed(), "how many missed ticks run", place);
		range(declaration.maxQueued(), "how many ticks wait", place);
		check(!declaration.lateAfter().isNegative() && declaration.lateAfter().compareTo(LONGEST) <= 0, place,
				"a tick cannot be late after " + declaration.lateAfter(), "Name a time from 0 to 3650 days");
		ConvertedPayload payload = payload(declaration.payload(), place);
		StoredDeclaration stored = new StoredDeclaration(
				new StoredDeclaration.Times(declaration.cron(), zone(declaration),
						interval(declaration.every(), place)),
				rules(declaration), (payload != null) ? StoredDeclaration.Payload.of(payload) : null,
				tags(declaration, place), this.limits.read(declaration, place), this.options.read(declaration, place));
		checkSchedule(stored, place);
		this.limits.check(stored, place);
		checkMessage(new RecurringName(declaration.queue(), declaration.name()), stored, place);
		return stored;
	}

	private static StoredDeclaration.Rules rules(RecurringDeclaration declaration) {
		return new StoredDeclaration.Rules(declaration.missed(),
				(declaration.missed() == MissedTicks.ALL) ? declaration.maxMissed() : 0, declaration.overlap(),
				(declaration.overlap() == OverlappingRuns.QUEUE) ? declaration.maxQueued() : 0,
				declaration.lateAfter().toMillis());
	}

	/**
	 * Creates a message, so that one which could not be sent is refused now.
	 */
	private void checkMessage(RecurringName name, StoredDeclaration stored, String place) {
		try {
			this.messages.create(name, stored, Instant.now());
		}
		catch (IllegalArgumentException | EnvelopeException ex) {
			throw new InvalidRecurringMessageException(place, "its messages cannot be sent: " + ex.getMessage(),
					"Correct its payload or its options", ex);
		}
	}

	private static void checkName(String name, String place) {
		check(QueueName.isValid(name), place, "'" + name + "' is not a name",
				"Name it with a letter or a digit first, and up to 128 letters, digits, '.', '_' and '-'");
	}

	/**
	 * Sorted, so that declarations of the same tags are equal.
	 */
	private static List<String> tags(RecurringDeclaration declaration, String place) {
		Set<String> tags = new LinkedHashSet<>(declaration.tags());
		tags.addAll(declaration.options().tags());
		try {
			return TagName.checked(tags).stream().sorted().toList();
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidRecurringMessageException(place, "its tags cannot be used: " + ex.getMessage(),
					"Name at most " + TagName.MOST + " tags, each of 1 to " + TagName.LONGEST
							+ " characters, none of them a control character",
					null);
		}
	}

	private static void checkQueue(String queue, String place) {
		check(!queue.isEmpty(), place, "it has no queue", "Name the queue that is sent the messages");
		check(queue.indexOf('@') < 0, place, "'" + queue + "' is a topic's group, not a queue",
				"Name a queue, and publish to the topic from its listener");
		check(QueueName.isValid(queue), place, "'" + queue + "' is not the name of a queue",
				"A queue's name begins with a letter or a digit and has up to 128 letters, digits, '.', '_' and '-'");
	}

	private static void range(int number, String what, String place) {
		check(number >= 1 && number <= MOST, place, "it says " + what + " at most: " + number,
				"Name a number from 1 to " + MOST);
	}

	static void check(boolean right, String place, String problem, String mend) {
		if (!right) {
			throw new InvalidRecurringMessageException(place, problem, mend, null);
		}
	}

	private static @Nullable String zone(RecurringDeclaration declaration) {
		if (declaration.cron() == null) {
			return null;
		}
		return Objects.requireNonNullElseGet(declaration.zone(), ZoneId::systemDefault).getId();
	}

	/**
	 * Reads the name of a zone.
	 */
	public static ZoneId zone(String zone, String place) {
		try {
			return ZoneId.of(zone);
		}
		catch (DateTimeException ex) {
			throw new InvalidRecurringMessageException(place, "there is no zone '" + zone + "'",
					"Name one such as Europe/Berlin, or none for that of the JVM", ex);
		}
	}

	/**
	 * Reads a point in time.
	 * @param text the time, with an offset such as {@code Z}, or by the clock of the zone
	 * @param zone the zone, or {@code null} for that of the JVM
	 * @param attribute what the time is
	 * @param place where it is declared
	 */
	public static Instant instant(String text, @Nullable ZoneId zone, String attribute, String place) {
		try {
			TemporalAccessor time = DateTimeFormatter.ISO_DATE_TIME.parseBest(text, ZonedDateTime::from,
					LocalDateTime::from);
			return (time instanceof ZonedDateTime zoned) ? zoned.toInstant()
					: LocalDateTime.from(time)
						.atZone(Objects.requireNonNullElseGet(zone, ZoneId::systemDefault))
						.toInstant();
		}
		catch (DateTimeException ex) {
			throw new InvalidRecurringMessageException(place,
					"its '" + attribute + "' is not a point in time: '" + text + "'",
					"Name one such as 2027-01-31T18:00:00Z, 2027-01-31T18:00:00+01:00 or, by the clock of its zone, "
							+ "2027-01-31T18:00:00",
					ex);
		}
	}

	/**
	 * Adds the further options of each message.
	 * @param declaration what recurs
	 * @param wanted adds it to a message
	 * @param place where it is declared
	 * @return a copy with it
	 */
	public static RecurringDeclaration options(RecurringDeclaration declaration, UnaryOperator<OutboundMessage> wanted,
			String place) {
		try {
			return declaration.options(wanted);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidRecurringMessageException(place, "no message can have what it says: " + ex.getMessage(),
					"Name a value that a message could be sent with", ex);
		}
	}

	private static @Nullable Long interval(@Nullable Duration every, String place) {
		if (every == null) {
			return null;
		}
		check(every.compareTo(SHORTEST) >= 0 && every.compareTo(LONGEST) <= 0, place,
				"its interval is " + every.toMillis() + " ms", "Name an interval from 100 ms to 3650 days");
		return every.toMillis();
	}

	private @Nullable ConvertedPayload payload(@Nullable Object payload, String place) {
		if (payload == null) {
			return null;
		}
		Message<?> converted;
		try {
			converted = this.converter.toMessage(payload, new MessageHeaders(Map.of()));
		}
		catch (RuntimeException ex) {
			throw new InvalidRecurringMessageException(place, "its payload of the type " + payload.getClass().getName()
					+ " cannot be converted: " + ex.getMessage(), "Name a payload that could be sent", ex);
		}
		if (converted == null) {
			throw new InvalidRecurringMessageException(place,
					"no MessageConverter takes its payload of the type " + payload.getClass().getName(),
					"Name a payload that could be sent", null);
		}
		ConvertedPayload written = ConvertedPayload.of(converted);
		check(written.bytes().length <= MOST_BYTES, place, "its payload has " + written.bytes().length + " bytes",
				"Name one of up to " + MOST_BYTES + " bytes: the listener can look up the rest");
		return written;
	}

	private static void checkSchedule(StoredDeclaration stored, String place) {
		if (stored.times().everyMillis() != null) {
			return;
		}
		check(stored.times().cron() != null, place, "it never ticks: it has neither a cron expression nor an interval",
				"Name one of them, such as the cron expression '0 0 2 * * *' or the interval '15m'");
		TickSchedule schedule;
		try {
			schedule = stored.plainSchedule();
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidRecurringMessageException(place,
					"'" + stored.times().cron() + "' is not a cron expression: " + ex.getMessage(),
					"Name one of six fields, from the second to the day of the week, such as '0 0 2 * * *'", ex);
		}
		Instant now = Instant.now();
		check(schedule.next(now, now) != null, place, "its cron expression '" + stored.times().cron() + "' never ticks",
				"Look at its day and month: there may be no such date");
	}

}
