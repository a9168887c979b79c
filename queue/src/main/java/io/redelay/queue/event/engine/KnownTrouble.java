package io.redelay.queue.event.engine;

import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

import io.redelay.queue.admin.QueueDiagnosis;
import io.redelay.queue.admin.QueueFinding;
import io.redelay.queue.admin.QueueFinding.Kind;
import io.redelay.queue.admin.QueueFinding.Severity;
import io.redelay.queue.admin.TroubleEvent;
import org.jspecify.annotations.Nullable;

/**
 * The last event of the trouble of a queue.
 *
 * @param type what happened
 * @param kind what stands in the way
 * @param severity how urgent it is
 * @param since when the trouble was seen first
 * @param time when it was found to begin, change or end
 * @param reported whether listeners were called, and have returned
 */
record KnownTrouble(TroubleEvent.Type type, Kind kind, Severity severity, Instant since, Instant time,
		boolean reported) {

	private static final String NOTHING_TO_DO = "Nothing is to be done.";

	/**
	 * Reads what an instance has recorded.
	 * @return the trouble, or {@code null} if a later version wrote it in another form
	 */
	static @Nullable KnownTrouble read(String text) {
		String[] words = text.split(" ");
		try {
			// A later version may know more kinds.
			Kind kind = Arrays.stream(Kind.values())
				.filter((each) -> each.name().equals(words[1]))
				.findFirst()
				.orElse(Kind.UNEXPLAINED);
			return new KnownTrouble(TroubleEvent.Type.valueOf(words[0]), kind, Severity.valueOf(words[2]),
					Instant.ofEpochMilli(Long.parseLong(words[3])), Instant.ofEpochMilli(Long.parseLong(words[4])),
					words[5].equals("reported"));
		}
		catch (IllegalArgumentException | IndexOutOfBoundsException ex) {
			return null;
		}
	}

	String write() {
		return String.join(" ", this.type.name(), this.kind.name(), this.severity.name(),
				Long.toString(this.since.toEpochMilli()), Long.toString(this.time.toEpochMilli()),
				this.reported ? "reported" : "begun");
	}

	KnownTrouble asReported() {
		return new KnownTrouble(this.type, this.kind, this.severity, this.since, this.time, true);
	}

	boolean hasEnded() {
		return this.type == TroubleEvent.Type.ENDED;
	}

	/**
	 * The event for listeners.
	 * @param now the diagnosis of the queue, or {@code null} if it does not exist
	 */
	TroubleEvent toEvent(String queue, @Nullable QueueDiagnosis now) {
		Optional<QueueFinding> finding = (now != null) ? now.trouble() : Optional.empty();
		String mend = hasEnded() ? NOTHING_TO_DO : finding.map(QueueFinding::mend).orElse(NOTHING_TO_DO);
		return new TroubleEvent(this.type, queue, this.kind, this.severity, summary(now), mend, this.since, this.time);
	}

	/**
	 * The summary of a diagnosis is about its first finding, which may be none that is
	 * trouble.
	 */
	private static String summary(@Nullable QueueDiagnosis now) {
		if (now == null) {
			return "The queue does not exist any more.";
		}
		String headline = now.trouble()
			.filter((finding) -> !finding.equals(now.findings().get(0)))
			.map(QueueFinding::headline)
			.orElse("");
		return headline.isEmpty() ? now.summary()
				: headline.substring(0, 1).toUpperCase(Locale.ROOT) + headline.substring(1) + ".";
	}

}
