package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.redelay.queue.admin.DeadLetterAdmin;
import io.redelay.queue.admin.DeadLetterCauses;
import io.redelay.queue.admin.DeadLetterCount;
import io.redelay.queue.admin.DeadLetterFilter;
import io.redelay.queue.admin.QueuePage;
import io.redelay.queue.admin.RedriveResult;
import io.redelay.queue.admin.RedriveStatus;
import io.redelay.queue.admin.engine.access.KnownPartitions;
import io.redelay.queue.admin.engine.access.ExistingQueues;
import io.redelay.queue.admin.engine.deadletter.DeadLetterCounter;
import io.redelay.queue.admin.engine.deadletter.DeadLetterReader;
import io.redelay.queue.admin.engine.deadletter.DeadLetterRedrive;
import io.redelay.queue.admin.engine.message.MessagesByTag;
import io.redelay.queue.limits.TagName;

import org.springframework.util.Assert;

/**
 * Shows, counts and redrives dead messages.
 */
final class DeadLetterAdminTemplate implements DeadLetterAdmin {

	private final ExistingQueues known;

	private final KnownPartitions partitions;

	private final QueueCounter counter;

	private final DeadLetterReader deadLetters;

	private final DeadLetterCounter causes;

	private final DeadLetterRedrive redrive;

	private final MessagesByTag tagged;

	private final RedriveStatuses statuses;

	DeadLetterAdminTemplate(ExistingQueues known, KnownPartitions partitions, QueueCounter counter,
			DeadLetterReader deadLetters, DeadLetterRedrive redrive, MessagesByTag tagged, RedriveStatuses statuses) {
		this.known = known;
		this.partitions = partitions;
		this.counter = counter;
		this.deadLetters = deadLetters;
		this.causes = new DeadLetterCounter(deadLetters);
		this.redrive = redrive;
		this.tagged = tagged;
		this.statuses = statuses;
	}

	@Override
	public QueuePage deadLetters(String queue, DeadLetterFilter filter, int page, int size) {
		this.known.check(queue);
		AdminArguments.checkPage(page, size);
		return this.deadLetters.page(this.counter.expire(this.partitions.of(queue)), filter, page, size);
	}

	@Override
	public List<DeadLetterCount> deadLetterCounts(String queue) {
		this.known.check(queue);
		return this.causes.count(this.counter.expire(this.partitions.of(queue)), Integer.MAX_VALUE).causes();
	}

	@Override
	public DeadLetterCauses deadLetterCauses(String queue, int most) {
		this.known.check(queue);
		Assert.isTrue(most >= 1, () -> "'most' must be at least 1: " + most);
		return this.causes.count(this.counter.expire(this.partitions.of(queue)), most);
	}

	@Override
	public Optional<RedriveStatus> redriveStatus(String queue) {
		this.known.check(queue);
		return this.statuses.of(queue);
	}

	@Override
	public void redrive(String queue, String id) {
		this.known.check(queue);
		AdminArguments.checkId(id);
		this.redrive.redrive(queue, id);
	}

	@Override
	public void redriveRound(String queue, String id) {
		this.known.check(queue);
		AdminArguments.checkId(id);
		this.redrive.redriveRound(queue, id);
	}

	@Override
	public RedriveResult redrive(String queue, DeadLetterFilter filter) {
		this.known.check(queue);
		return this.redrive.redrive(this.partitions.of(queue), filter, (position) -> Duration.ZERO);
	}

	@Override
	public RedriveResult redrive(String queue, DeadLetterFilter filter, double perSecond) {
		this.known.check(queue);
		Assert.isTrue(perSecond >= 0.001 && perSecond <= 1_000_000,
				() -> "'perSecond' must be 0.001 to 1,000,000: " + perSecond);
		return this.redrive.redrive(this.partitions.of(queue), filter,
				(position) -> Duration.ofNanos((long) (position * 1_000_000_000d / perSecond)));
	}

	@Override
	public RedriveResult redriveByTag(String queue, String tag) {
		this.known.check(queue);
		TagName.check(tag);
		return this.tagged.redrive(this.partitions.of(queue), tag);
	}

}
