package io.redelay.benchmarks.option;

import java.time.Duration;
import java.util.Locale;

import com.fasterxml.jackson.annotation.JsonValue;
import io.redelay.queue.Deduplication;
import io.redelay.queue.OutboundMessage;

/**
 * What distinguishes a message, or its listener, from a plain one.
 */
enum SendOption {

	PLAIN, ID, TAG, TIME_TO_LIVE, DEADLINE, PRIORITY, FAIRNESS_KEY, ORDERING_KEY, FIRST_WINS,

	/**
	 * Published to a topic of ten groups, each of which handles its copy.
	 */
	TOPIC_OF_10,

	/**
	 * Its handler sends another message as it is acknowledged.
	 */
	IN_DELIVERY,

	/**
	 * A member of a bundle: of 100 messages, or of one to which all are added.
	 */
	BUNDLE_MEMBER,

	IDEMPOTENCY_KEY,

	/**
	 * Its listener has a limit that is not reached.
	 */
	LIMIT,

	/**
	 * It is kept after its end, and the oldest of 1,000 is removed.
	 */
	RETENTION,

	/**
	 * Its handler saves a state before it goes on.
	 */
	CHECKPOINT;

	private static final Duration LIFE = Duration.ofHours(1);

	/**
	 * Returns the name, which is also that of the queue or the topic.
	 */
	@JsonValue
	String title() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	OutboundMessage message(Parcel parcel) {
		OutboundMessage plain = OutboundMessage.to(title(), parcel);
		int number = parcel.number();
		return switch (this) {
			case ID -> plain.id("order-" + number);
			case TAG -> plain.tag("campaign-" + number % 10);
			case TIME_TO_LIVE -> plain.timeToLive(LIFE);
			case DEADLINE -> plain.deadline(LIFE);
			case PRIORITY -> plain.priority(number % 10);
			case FAIRNESS_KEY -> plain.fairnessKey("tenant-" + number % 100);
			case ORDERING_KEY -> plain.orderingKey("account-" + number % 1000);
			case FIRST_WINS -> plain.deduplicate(Deduplication.firstWins("order-" + number, Duration.ofSeconds(10)));
			default -> plain;
		};
	}

	/**
	 * What is sent.
	 *
	 * @param number its number, which no other one has
	 * @param filling makes it as long as a usual payload
	 */
	record Parcel(int number, String filling) {

		private static final String FILLING = "x".repeat(150);

		Parcel(int number) {
			this(number, FILLING);
		}

	}

}
