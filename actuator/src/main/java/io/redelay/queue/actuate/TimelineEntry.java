package io.redelay.queue.actuate;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.redelay.queue.FailedAttempt;
import io.redelay.queue.MessageState;
import io.redelay.queue.admin.MessageWork;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.work.LogLine;
import io.redelay.queue.work.MessageProgress;
import org.jspecify.annotations.Nullable;

/**
 * An event in the life of a message, past or due.
 *
 * @param time its time, by the clock of Redis
 * @param what {@code sent}, {@code due}, {@code failed}, {@code log}, {@code progress},
 * {@code died}, {@code completed}, or {@code omitted} where something is not shown
 * @param attempt at which attempt, from 1, if that is known
 * @param detail more about it
 * @since 0.1.0
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record TimelineEntry(Instant time, String what, @Nullable Integer attempt, @Nullable String detail) {

	private static final int MAX_LINES = 100;

	/**
	 * How many attempts the store keeps.
	 */
	private static final int KEPT_ATTEMPTS = 10;

	/**
	 * Returns the known events in the life of a message.
	 * @return the earliest first
	 */
	static List<TimelineEntry> of(QueuedMessage message) {
		List<TimelineEntry> entries = new ArrayList<>();
		entries.add(new TimelineEntry(message.sentAt(), "sent", null, null));
		if (!message.dueAt().equals(message.sentAt())) {
			entries.add(new TimelineEntry(message.dueAt(), "due", null,
					(message.state() == MessageState.SCHEDULED) ? "not due yet" : null));
		}
		addAttempts(entries, message.history());
		addLines(entries, message.work());
		MessageProgress progress = message.work().progress();
		if (progress != null) {
			entries.add(new TimelineEntry(progress.at(), "progress", null, Math.round(progress.fraction() * 100) + " %"
					+ ((progress.text() != null) ? ": " + BoundedText.brief(progress.text()) : "")));
		}
		FailedAttempt death = message.death();
		if (message.diedAt() != null) {
			entries.add((death != null) ? of("died", death) : new TimelineEntry(message.diedAt(), "died", null, null));
		}
		if (message.completedAt() != null) {
			entries.add(new TimelineEntry(message.completedAt(), "completed", null,
					message.cancelled() ? "cancelled" : null));
		}
		entries.sort(Comparator.comparing(TimelineEntry::time));
		return List.copyOf(entries);
	}

	/**
	 * Adds the attempts that are kept, after the number of the earlier ones. A redriven
	 * message counts its attempts anew; how many there were before is not known.
	 */
	private static void addAttempts(List<TimelineEntry> entries, List<FailedAttempt> kept) {
		if (kept.isEmpty()) {
			return;
		}
		FailedAttempt first = kept.get(0);
		int before = first.failures() + first.crashes() - 1;
		if (before > 0 && kept.size() >= KEPT_ATTEMPTS) {
			entries.add(omitted(first.at(), before, "attempt"));
		}
		kept.forEach((attempt) -> entries.add(of("failed", attempt)));
	}

	private static void addLines(List<TimelineEntry> entries, MessageWork work) {
		List<LogLine> lines = work.log();
		int passed = Math.max(0, lines.size() - MAX_LINES);
		long before = work.droppedLines() + passed;
		if (before > 0 && passed < lines.size()) {
			entries.add(omitted(lines.get(passed).at(), before, "line"));
		}
		lines.stream()
			.skip(passed)
			.forEach((line) -> entries.add(new TimelineEntry(line.at(), "log", null, BoundedText.brief(line.text()))));
	}

	private static TimelineEntry omitted(Instant time, long number, String what) {
		return new TimelineEntry(time, "omitted", null,
				number + " earlier " + what + ((number == 1) ? " is" : "s are") + " not shown");
	}

	private static TimelineEntry of(String what, FailedAttempt attempt) {
		String cause = (attempt.exception() != null) ? attempt.exception()
				: (attempt.reason() != null) ? attempt.reason().name() : "";
		String text = (attempt.message() != null) ? attempt.message() : "";
		String separator = (cause.isEmpty() || text.isEmpty()) ? "" : ": ";
		int number = attempt.failures() + attempt.crashes();
		return new TimelineEntry(attempt.at(), what, (number > 0) ? number : null,
				BoundedText.brief(cause + separator + text + " (on " + attempt.instance() + ")"));
	}

}
