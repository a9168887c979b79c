package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.redelay.queue.admin.DeadLetterAdmin;
import io.redelay.queue.admin.DeadLetterCauses;
import io.redelay.queue.admin.DeadLetterCount;
import io.redelay.queue.admin.DeadLetterFilter;
import io.redelay.queue.admin.HistoryMark;
import io.redelay.queue.admin.QueuePage;
import io.redelay.queue.admin.RedriveResult;
import io.redelay.queue.admin.RedriveStatus;
import io.redelay.queue.admin.engine.access.QueueMarks;
import io.redelay.queue.admin.engine.deadletter.DeadLetterCounter;
import io.redelay.queue.admin.engine.deadletter.DeadLetterReader;
import io.redelay.queue.admin.engine.deadletter.DeadLetterRedrive;
import io.redelay.queue.admin.engine.message.MessagesByTag;
import io.redelay.queue.limits.DueTime;
import io.redelay.queue.limits.TagName;
import io.redelay.queue.script.MessageCommand;

import org.springframework.util.Assert;

/**
 * Shows, counts and redrives dead messages.
 */
record DeadLetterAdminTemplate(QueueAccess queues, DeadLetterReader deadLetters, DeadLetterCounter causes,
		DeadLetterRedrive redrive, MessagesByTag tagged, RedriveStatuses statuses,
		QueueMarks marks) implements DeadLetterAdmin {

	@Override
	public QueuePage browse(String queue, DeadLetterFilter filter, int page, int size) {
		this.queues.check(queue);
		AdminArguments.checkPage(page, size);
		return this.deadLetters.page(this.queues.expire(queue), filter, page, size);
	}

	@Override
	public List<DeadLetterCount> counts(String queue) {
		this.queues.check(queue);
		return this.causes.count(this.queues.expire(queue), Integer.MAX_VALUE).causes();
	}

	@Override
	public DeadLetterCauses causes(String queue, int most) {
		this.queues.check(queue);
		Assert.isTrue(most >= 1, () -> "'most' must be at least 1: " + most);
		return this.causes.count(this.queues.expire(queue), most);
	}

	@Override
	public Optional<RedriveStatus> redriveStatus(String queue) {
		this.queues.check(queue);
		return this.statuses.of(queue);
	}

	@Override
	public void redrive(String queue, String id) {
		this.queues.check(queue);
		AdminArguments.checkId(id);
		this.redrive.redrive(queue, id, "");
	}

	@Override
	public void redriveAt(String queue, String id, Instant due) {
		this.queues.check(queue);
		AdminArguments.checkId(id);
		Assert.isTrue(DueTime.isPossible(due), () -> "'due' must be before 2469: " + due);
		this.redrive.redrive(queue, id, MessageCommand.at(due));
	}

	@Override
	public void redriveRound(String queue, String id) {
		this.queues.check(queue);
		AdminArguments.checkId(id);
		this.redrive.redriveRound(queue, id);
	}

	@Override
	public RedriveResult redrive(String queue, DeadLetterFilter filter) {
		this.queues.check(queue);
		return redriven(queue,
				this.redrive.redrive(this.queues.partitions(queue), filter, (position) -> Duration.ZERO));
	}

	@Override
	public RedriveResult redrive(String queue, DeadLetterFilter filter, double perSecond) {
		this.queues.check(queue);
		Assert.isTrue(perSecond >= 0.001 && perSecond <= 1_000_000,
				() -> "'perSecond' must be 0.001 to 1,000,000: " + perSecond);
		return redriven(queue, this.redrive.redrive(this.queues.partitions(queue), filter,
				(position) -> Duration.ofNanos((long) (position * 1_000_000_000d / perSecond))));
	}

	@Override
	public RedriveResult redriveByTag(String queue, String tag) {
		this.queues.check(queue);
		TagName.check(tag);
		return redriven(queue, this.tagged.redrive(this.queues.partitions(queue), tag));
	}

	private RedriveResult redriven(String queue, RedriveResult result) {
		if (result.redriven() > 0) {
			this.marks.note(queue, HistoryMark.Kind.REDRIVEN, String.valueOf(result.redriven()));
		}
		return result;
	}

}
