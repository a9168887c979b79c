package io.redelay.queue.actuate;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.redelay.queue.DeathReason;
import io.redelay.queue.FailedAttempt;
import io.redelay.queue.MessageState;
import io.redelay.queue.RedriveRule;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.work.LogLine;
import io.redelay.queue.work.MessageProgress;
import org.jspecify.annotations.Nullable;

/**
 * A message as the endpoint of queues shows it. In lists the details are absent.
 *
 * @param id the id its sender gave it, or else its uid
 * @param uid the name that is never used twice, and fits into a path
 * @param queue the queue
 * @param state where it is
 * @param sentAt when it was sent
 * @param dueAt when it is or was due
 * @param diedAt when it died, if it is dead
 * @param completedAt when it was done, if it is kept as completed
 * @param failures how often its handling failed
 * @param crashes how often an instance died while it was a suspect of its
 * @param rounds in how many rounds of its queue's rule it was redriven, if it was
 * @param mostRounds in how many rounds it may be, if it is dead and its queue has a rule
 * @param redriveAt when the rule redrives it; absent if it stays dead
 * @param priority its priority, if it has one
 * @param orderingKey its ordering key, if it has one
 * @param fairnessKey its fairness key, if it has one
 * @param tags its tags
 * @param instance the instance that has it in hand
 * @param instanceName the display name of that instance
 * @param cancelled whether it was cancelled while it was in hand
 * @param forwardedTo the queue it is being forwarded to, if it is
 * @param payloadType the name of the payload's type, if its sender gave one
 * @param contentType the content type of the payload
 * @param bytes how large the payload is
 * @param death the cause of its death, if it is dead
 * @param lastFailure its last attempt, if it lives and that failed
 * @param progress the progress of its handling, if its handler reported it
 * @param masked whether payload and headers are left out, as the user may not see them
 * @param details what only the view of one message has, beside the rest
 * @since 0.1.0
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record MessageView(String id, String uid, String queue, MessageState state, Instant sentAt, Instant dueAt,
		@Nullable Instant diedAt, @Nullable Instant completedAt, int failures, int crashes, @Nullable Integer rounds,
		@Nullable Integer mostRounds, @Nullable Instant redriveAt, @Nullable Integer priority,
		@Nullable String orderingKey, @Nullable String fairnessKey, Set<String> tags, @Nullable String instance,
		@Nullable String instanceName, boolean cancelled, @Nullable String forwardedTo, @Nullable String payloadType,
		String contentType, int bytes, @Nullable Attempt death, @Nullable Attempt lastFailure,
		@Nullable Progress progress, @Nullable Boolean masked, @JsonUnwrapped Details details) {

	/**
	 * A message in a list.
	 * @param rule by which dead messages are redriven, if they are
	 */
	static MessageView row(QueuedMessage message, InstanceNames names, @Nullable RedriveRule rule) {
		return of(message, names, rule, Details.NONE);
	}

	/**
	 * A message by itself.
	 * @param rule by which dead messages are redriven, if they are
	 * @param masking shows payload and headers, or {@code null} to keep them back
	 */
	static MessageView full(QueuedMessage message, InstanceNames names, @Nullable RedriveRule rule,
			@Nullable MessageMasking masking) {
		List<Attempt> attempts = message.history().stream().map(Attempt::of).toList();
		if (masking == null) {
			return of(message, names, rule,
					new Details(null, null, null, null, Work.of(message, null), attempts, TimelineEntry.of(message)));
		}
		BoundedText payload = masking.payload(message.payload(), message.contentType());
		byte[] result = message.result();
		return of(message, names, rule,
				new Details(payload.text(), payload.truncated() ? true : null, masking.headers(message.headers()),
						(result != null) ? masking.payload(result, "application/json").text() : null,
						Work.of(message, masking), attempts, TimelineEntry.of(message)));
	}

	private static MessageView of(QueuedMessage message, InstanceNames names, @Nullable RedriveRule rule,
			Details details) {
		FailedAttempt death = message.death();
		MessageProgress progress = message.work().progress();
		return new MessageView(message.id(), message.uid(), message.queue(), message.state(), message.sentAt(),
				message.dueAt(), message.diedAt(), message.completedAt(), message.failures(), message.crashes(),
				(message.rounds() > 0) ? message.rounds() : null,
				(rule != null && message.state() == MessageState.DEAD) ? rule.rounds() : null,
				(rule != null) ? message.redriveAt(rule).orElse(null) : null, message.priority(), message.orderingKey(),
				message.fairnessKey(), message.tags(), message.instance(), names.of(message.instance()),
				message.cancelled(), message.forwardedTo(), message.payloadType(), message.contentType(),
				message.payload().length, (death != null) ? Attempt.of(death) : null,
				(death == null) ? lastFailure(message.history()) : null,
				(progress != null) ? Progress.of(progress) : null,
				(details.timeline() != null && details.payload() == null) ? true : null, details);
	}

	private static @Nullable Attempt lastFailure(List<FailedAttempt> history) {
		return history.isEmpty() ? null : Attempt.of(history.get(history.size() - 1));
	}

	/**
	 * What only the view of one message has.
	 *
	 * @param payload the payload without secrets
	 * @param truncated whether that was cut
	 * @param headers the sender's own headers without secrets
	 * @param result the result of its handler, without secrets
	 * @param work the data that its handlers keep beside it
	 * @param attempts its earlier attempts, the first one first
	 * @param timeline its known history, the earliest entry first
	 */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	record Details(@Nullable String payload, @Nullable Boolean truncated, @Nullable Map<String, Object> headers,
			@Nullable String result, @Nullable Work work, @Nullable List<Attempt> attempts,
			@Nullable List<TimelineEntry> timeline) {

		private static final Details NONE = new Details(null, null, null, null, null, null, null);

	}

	/**
	 * An attempt that failed.
	 *
	 * @param at when it failed
	 * @param instance the instance on which it failed
	 * @param listener the id of the listener
	 * @param reason why the message died, if it died with this attempt
	 * @param exception the type of the failure
	 * @param message the text of the failure
	 * @param stackTrace where it failed in the application
	 * @param failures how often the handling had failed by then
	 * @param crashes how often instances had died by then
	 */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	public record Attempt(Instant at, String instance, String listener, @Nullable DeathReason reason,
			@Nullable String exception, @Nullable String message, @Nullable String stackTrace, int failures,
			int crashes) {

		static Attempt of(FailedAttempt attempt) {
			return new Attempt(attempt.at(), attempt.instance(), attempt.listener(), attempt.reason(),
					BoundedText.brief(attempt.exception()), BoundedText.brief(attempt.message()),
					BoundedText.brief(attempt.stackTrace()), attempt.failures(), attempt.crashes());
		}

	}

	/**
	 * The progress of a handling.
	 *
	 * @param percent how much of the work is done, from 0 to 100
	 * @param text the text that the handler gave
	 * @param at when it was reported
	 */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	public record Progress(double percent, @Nullable String text, Instant at) {

		static Progress of(MessageProgress progress) {
			return new Progress(Math.round(progress.fraction() * 1000) / 10.0, BoundedText.brief(progress.text()),
					progress.at());
		}

	}

	/**
	 * The data that handlers keep beside a message.
	 *
	 * @param progress the progress of the handling
	 * @param log the last lines that handlers wrote, at most {@value #MAX_LINES}
	 * @param droppedLines how many lines before those are not shown
	 * @param checkpoint the state from which the next attempt goes on, without secrets
	 */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	public record Work(@Nullable Progress progress, List<Line> log, long droppedLines, @Nullable String checkpoint) {

		private static final int MAX_LINES = 200;

		static Work of(QueuedMessage message, @Nullable MessageMasking masking) {
			MessageProgress progress = message.work().progress();
			List<LogLine> lines = message.work().log();
			int passed = Math.max(0, lines.size() - MAX_LINES);
			byte[] checkpoint = message.work().checkpoint();
			return new Work((progress != null) ? Progress.of(progress) : null,
					lines.stream().skip(passed).map(Line::of).toList(), message.work().droppedLines() + passed,
					(checkpoint != null && masking != null) ? masking.payload(checkpoint, "application/json").text()
							: null);
		}

	}

	/**
	 * A line that a handler wrote.
	 *
	 * @param at when it was written
	 * @param text the line
	 */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	public record Line(Instant at, String text) {

		static Line of(LogLine line) {
			return new Line(line.at(), String.valueOf(BoundedText.brief(line.text())));
		}

	}

}
