package io.redelay.queue.admin.engine.bulk;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import io.redelay.queue.MessageState;
import io.redelay.queue.QueueException;
import io.redelay.queue.admin.BulkAction;
import io.redelay.queue.admin.BulkJob;
import io.redelay.queue.admin.BulkJobAdmin;
import io.redelay.queue.admin.BulkRequest;
import io.redelay.queue.admin.HistoryMark;
import io.redelay.queue.admin.MessageFilter;
import io.redelay.queue.admin.engine.access.ExistingQueues;
import io.redelay.queue.admin.engine.access.KnownPartitions;
import io.redelay.queue.admin.engine.access.QueueMarks;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.message.Uids;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.CalendarScript;
import io.redelay.queue.script.admin.CountScript;
import io.redelay.queue.script.admin.JobsKey;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Begins, lists and stops jobs.
 *
 * @since 0.1.0
 */
public record BulkJobs(AdminScripts store, ExistingQueues known, KnownPartitions partitions, BulkRunner runner,
		Uids uids, QueueMarks marks) implements BulkJobAdmin {

	/**
	 * How long the plan of a job may be as JSON: a list of jobs reads all plans.
	 */
	private static final int LONGEST = 16 * 1024;

	@Override
	public BulkJob start(String queue, BulkRequest request) {
		this.known.check(queue);
		List<String> all = this.partitions.of(queue);
		check(request);
		Set<MessageState> states = request.filter().states().isEmpty() ? request.action().states()
				: request.filter().states();
		Instant begun = Instant.EPOCH;
		long total = 0;
		for (String partition : all) {
			CountScript.Counts counts = StoreCalls.await(this.store.count().run(partition));
			begun = counts.time().isAfter(begun) ? counts.time() : begun;
			total += isOfACalendar(request.filter()) ? between(partition, request.filter())
					: states.stream().mapToLong(counts.messages()::of).sum();
		}
		BulkPlan plan = new BulkPlan(queue, request, begun, total);
		String written = plan.write();
		Assert.isTrue(written.length() <= LONGEST,
				() -> "'change' and the filter are too long: written as JSON the job has " + written.length()
						+ " characters, and the limit is " + LONGEST);
		this.runner.check(plan);
		JobsKey.Job job = StoreCalls.await(new JobsKey(this.store.runner()).begin(this.uids.next(), written,
				this.runner.ownerOfNext(), BulkRunner.LEASE));
		if (job == null) {
			throw new QueueException("No job is begun for the queue '" + queue
					+ "': 50 run already. Stop one, or wait until one has ended");
		}
		this.runner.sawRunning();
		this.runner.run(job);
		this.marks.note(queue, job.id(), HistoryMark.Kind.JOB_STARTED, request.action().name());
		return Objects.requireNonNull(read(job));
	}

	/**
	 * Whether the search goes only through the scheduled messages between two times.
	 */
	private static boolean isOfACalendar(MessageFilter filter) {
		return filter.states().equals(Set.of(MessageState.SCHEDULED)) && filter.dueAfter() != null
				&& filter.dueBefore() != null;
	}

	private long between(String partition, MessageFilter filter) {
		List<Instant> times = List.of(Objects.requireNonNull(filter.dueAfter()),
				Objects.requireNonNull(filter.dueBefore()));
		return StoreCalls.await(new CalendarScript(this.store.runner()).run(partition, times)).get(0);
	}

	private static void check(BulkRequest request) {
		BulkAction action = request.action();
		boolean hasTime = request.delay() != null || request.due() != null;
		Assert.isTrue(hasTime == (action == BulkAction.RESCHEDULE),
				() -> hasTime ? "'delay' and 'due' are for RESCHEDULE only"
						: "'delay' or 'due' is missing: say when messages are due");
		Assert.isTrue(request.spread() == null || hasTime, "'spread' is for RESCHEDULE only");
		boolean hasChange = request.change() != null && !request.change().isEmpty();
		Assert.isTrue(hasChange == (action == BulkAction.CHANGE), () -> hasChange ? "'change' is for CHANGE only"
				: "'change' is missing: give a payload, attempts, failures or a priority");
		Assert.isTrue(request.reason() == null || action == BulkAction.BURY, "'reason' is for BURY only");
	}

	@Override
	public List<BulkJob> list(String queue) {
		this.known.check(queue);
		return list().stream().filter((job) -> job.queue().equals(queue)).toList();
	}

	@Override
	public List<BulkJob> list() {
		List<JobsKey.Job> stored = StoreCalls.await(new JobsKey(this.store.runner()).list());
		if (!this.store.runner().isReading()
				&& stored.stream().anyMatch((job) -> job.state() == JobsKey.Job.State.RUNNING)) {
			this.runner.sawRunning();
		}
		return stored.stream()
			.flatMap((job) -> Stream.ofNullable(read(job)))
			.sorted(Comparator.comparing(BulkJob::startedAt).reversed().thenComparing(BulkJob::id))
			.toList();
	}

	@Override
	public Optional<BulkJob> find(String id) {
		return list().stream().filter((job) -> job.id().equals(id)).findFirst();
	}

	@Override
	public Optional<BulkJob> stop(String id) {
		JobsKey.Job stopped = StoreCalls.await(new JobsKey(this.store.runner()).stop(id));
		if (stopped != null && stopped.state() == JobsKey.Job.State.STOPPED) {
			this.runner.stopped(id);
		}
		return Optional.ofNullable((stopped != null) ? read(stopped) : null);
	}

	private @Nullable BulkJob read(JobsKey.Job job) {
		BulkPlan plan = BulkPlan.read(job.request());
		if (plan == null) {
			return null;
		}
		BulkProgress progress = BulkProgress.read(job.progress());
		// Some are examined twice, where a step of the search was too large.
		long seen = Math.min(progress.seen(), Math.max(plan.total(), progress.matched()));
		String instance = job.owner().substring(job.owner().indexOf(' ') + 1);
		return new BulkJob(job.id(), plan.queue(), plan.request(), BulkJob.State.valueOf(job.state().name()),
				plan.total(), seen, progress.matched(), progress.done(), progress.refused(), job.began(), job.ended(),
				progress.failure(), instance.isEmpty() ? null : instance);
	}

}
