package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;

import io.redelay.queue.MessageState;
import io.redelay.queue.limits.DueTime;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * What a {@link BulkJob} is to do, built up like
 * {@code BulkRequest.of(BulkAction.REDRIVE, MessageFilter.all().tag("order:7")).perSecond(100)}.
 * Each method gives a new request and leaves this one as it is.
 *
 * @param action what to do with each message
 * @param filter with which messages
 * @param perSecond how many messages to process a second at most, 0.1 to 100,000, or
 * {@code null} for no limit
 * @param limit how many messages to process at most, from 1, or {@code null} for all
 * @param startedBy a name that is shown with the job: up to 200 characters, or
 * {@code null}
 * @param delay for {@link BulkAction#RESCHEDULE}: how long after the job began all
 * messages are due, 0 to 3650 days
 * @param due for {@link BulkAction#RESCHEDULE}: when messages are due, before 2469,
 * instead of a delay
 * @param spread for {@link BulkAction#RESCHEDULE}: over how long from then on messages
 * are due, none of them earlier than before, 0 to 3650 days; {@code null} if all are due
 * at the same time
 * @param reason for {@link BulkAction#BURY}: why, up to 1,000 characters
 * @param change for {@link BulkAction#CHANGE}: what to change
 * @since 0.1.0
 */
public record BulkRequest(BulkAction action, MessageFilter filter, @Nullable Double perSecond, @Nullable Long limit,
		@Nullable String startedBy, @Nullable Duration delay, @Nullable Instant due, @Nullable Duration spread,
		@Nullable String reason, @Nullable MessageChange change) {

	/**
	 * Checks each value by itself.
	 */
	public BulkRequest {
		for (MessageState state : filter.states()) {
			Assert.isTrue(action.takes(state),
					() -> "'state' must not be " + state + ", for " + action + " is nothing for such messages");
		}
		Assert.isTrue(perSecond == null || (perSecond >= 0.1 && perSecond <= 100_000),
				() -> "'perSecond' must be 0.1 to 100,000: " + perSecond);
		Assert.isTrue(limit == null || limit >= 1, () -> "'limit' must be at least 1: " + limit);
		Assert.isTrue(startedBy == null || startedBy.length() <= 200, "'startedBy' must have 200 characters at most");
		Assert.isTrue(delay == null || DueTime.isPossible(delay), () -> "'delay' must be 0 to 3650 days: " + delay);
		Assert.isTrue(due == null || DueTime.isPossible(due), () -> "'due' must be before 2469: " + due);
		Assert.isTrue(delay == null || due == null, "'delay' and 'due' must not be given both");
		Assert.isTrue(spread == null || DueTime.isPossible(spread), () -> "'spread' must be 0 to 3650 days: " + spread);
		Assert.isTrue(spread == null || due == null || DueTime.isPossible(due.plus(spread)),
				() -> "'due' and 'spread' must end before 2469: " + due + ", " + spread);
		Assert.isTrue(reason == null || (!reason.isBlank() && reason.length() <= 1000),
				"'reason' must have 1 to 1,000 characters");
	}

	/**
	 * Returns a request for all messages that a filter chooses.
	 * @param action what to do with each of them
	 * @param filter which messages; without states, those in the states for which the
	 * action is meant
	 * @return the request
	 */
	public static BulkRequest of(BulkAction action, MessageFilter filter) {
		return new BulkRequest(action, filter, null, null, null, null, null, null, null, null);
	}

	/**
	 * Sets the rate.
	 * @param perSecond how many messages to process a second at most, 0.1 to 100,000
	 * @return the request
	 */
	public BulkRequest perSecond(double perSecond) {
		return new BulkRequest(this.action, this.filter, perSecond, this.limit, this.startedBy, this.delay, this.due,
				this.spread, this.reason, this.change);
	}

	/**
	 * Ends it after a number of messages.
	 * @param limit how many messages to process at most, from 1
	 * @return the request
	 */
	public BulkRequest limit(long limit) {
		return new BulkRequest(this.action, this.filter, this.perSecond, limit, this.startedBy, this.delay, this.due,
				this.spread, this.reason, this.change);
	}

	/**
	 * Sets a name that is shown with the job.
	 * @param startedBy a name of up to 200 characters, such as that of a person
	 * @return the request
	 */
	public BulkRequest startedBy(String startedBy) {
		return new BulkRequest(this.action, this.filter, this.perSecond, this.limit, startedBy, this.delay, this.due,
				this.spread, this.reason, this.change);
	}

	/**
	 * Sets how long after the job began rescheduled messages are due.
	 * @param delay 0 to 3650 days
	 * @return the request
	 */
	public BulkRequest delay(Duration delay) {
		return new BulkRequest(this.action, this.filter, this.perSecond, this.limit, this.startedBy, delay, null,
				this.spread, this.reason, this.change);
	}

	/**
	 * Sets when rescheduled messages are due.
	 * @param due when, by the clock of Redis
	 * @return the request
	 */
	public BulkRequest due(Instant due) {
		return new BulkRequest(this.action, this.filter, this.perSecond, this.limit, this.startedBy, null, due,
				this.spread, this.reason, this.change);
	}

	/**
	 * Sets over how long rescheduled messages are due, from the delay or due time on, so
	 * that handlers can do what would be too much at once. Each message gets a time of
	 * its own, which follows from its id; one that would be due earlier than before keeps
	 * its time. Messages of one ordering key get the same time, in the order in which an
	 * instance sent them.
	 * @param spread 0 to 3650 days
	 * @return the request
	 */
	public BulkRequest spread(Duration spread) {
		return new BulkRequest(this.action, this.filter, this.perSecond, this.limit, this.startedBy, this.delay,
				this.due, spread, this.reason, this.change);
	}

	/**
	 * Sets why messages are buried.
	 * @param reason up to 1,000 characters
	 * @return the request
	 */
	public BulkRequest reason(String reason) {
		return new BulkRequest(this.action, this.filter, this.perSecond, this.limit, this.startedBy, this.delay,
				this.due, this.spread, reason, this.change);
	}

	/**
	 * Sets how messages are changed.
	 * @param change the change
	 * @return the request
	 */
	public BulkRequest change(MessageChange change) {
		return new BulkRequest(this.action, this.filter, this.perSecond, this.limit, this.startedBy, this.delay,
				this.due, this.spread, this.reason, change);
	}

}
