package io.redelay.queue.recurring.engine;

import java.util.Map;
import java.util.TreeMap;

import io.redelay.queue.DeliveryOrder;
import io.redelay.queue.HandlingOptions;
import io.redelay.queue.MessageDeadline;
import io.redelay.queue.MessageTiming;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.SendingOptions;
import io.redelay.queue.recurring.OverlappingRuns;
import io.redelay.queue.recurring.RecurringDeclaration;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.StringUtils;

/**
 * Checks the further options of each message of a recurring message, and converts them to
 * the form that is kept in Redis.
 */
record OptionsReader(JsonMapper mapper) {

	/**
	 * The headers are in each message and in what is kept of the recurring message.
	 */
	private static final int MOST_CHARACTERS = 16 * 1024;

	private static final MessageTiming NO_TIME = new MessageTiming(null, null, null);

	private static final SendingOptions SENT_ALONE = new SendingOptions(null, null, null, false);

	@Nullable StoredOptions read(RecurringDeclaration declaration, String place) {
		OutboundMessage options = declaration.options();
		checkSingle(options, place);
		checkOrder(options, declaration.overlap(), place);
		StoredOptions stored = new StoredOptions(options.order(), options.limits(), handling(declaration),
				headers(options.headers(), place));
		return stored.equals(StoredOptions.NONE) ? null : stored;
	}

	/**
	 * Options of a single send have no meaning for many.
	 */
	private static void checkSingle(OutboundMessage options, String place) {
		refuse(options.id() != null, "an id", "all its messages would have", place);
		refuse(!options.timing().equals(NO_TIME), "a delay, a time or a spread", "its ticks decide", place);
		refuse(options.deduplication() != null, "a deduplication", "would lose ticks", place);
		refuse(!options.sending().equals(SENT_ALONE), "a transaction, copies, a result or an acknowledgement",
				"a send waits for", place);
		MessageDeadline deadline = options.limits().deadline();
		refuse(deadline != null && deadline.at() != null, "a deadline at a point in time",
				"all its messages would have", place);
	}

	private static void refuse(boolean wrong, String what, String why, String place) {
		DeclarationReader.check(!wrong, place, "its options name " + what + ", which " + why,
				"Leave it out: from, until and jitter say when it runs, and a deadline is a duration");
	}

	private static void checkOrder(OutboundMessage options, OverlappingRuns overlap, String place) {
		DeliveryOrder order = options.order();
		boolean holds = Boolean.TRUE.equals(order.deadHoldsKey());
		DeclarationReader.check(!holds || order.orderingKey() != null || overlap == OverlappingRuns.QUEUE, place,
				"its messages are to hold their ordering key when they are dead, and have none",
				"Name an ordering key");
		DeclarationReader.check(!holds || options.handling().deadLetterQueue() == null, place,
				"its messages are to hold their ordering key when they are dead, and cannot where they are forwarded to "
						+ "a dead-letter queue",
				"Leave out deadLetterQueue or deadHoldsKey");
	}

	private static HandlingOptions handling(RecurringDeclaration declaration) {
		HandlingOptions handling = declaration.options().handling();
		Object payload = declaration.payload();
		String type = (handling.payloadType() == null && payload != null)
				? HandlingOptions.payloadTypeOf(payload.getClass()) : null;
		return (type != null) ? handling.payloadType(type) : handling;
	}

	/**
	 * Sorted, so that declarations with the same headers are equal.
	 */
	private @Nullable String headers(Map<String, Object> headers, String place) {
		if (headers.isEmpty()) {
			return null;
		}
		String json = this.mapper.writeValueAsString(new TreeMap<>(headers));
		DeclarationReader.check(json.length() <= MOST_CHARACTERS, place,
				"its headers have " + json.length() + " characters: "
						+ StringUtils.collectionToCommaDelimitedString(headers.keySet()),
				"Name headers of up to " + MOST_CHARACTERS + " characters together");
		return json;
	}

}
