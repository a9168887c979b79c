package io.redelay.queue.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.redelay.queue.QueueException;
import io.redelay.queue.admin.BulkAction;
import io.redelay.queue.admin.BulkRequest;
import io.redelay.queue.admin.DeadLetterFilter;
import io.redelay.queue.admin.MessageChange;
import io.redelay.queue.admin.MessageFilter;
import io.redelay.queue.script.admin.JobsKey;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Begins jobs on many messages, and redrives dead ones at a rate, and checks what the
 * guide promises of that.
 */
final class Jobs {

	private static final List<BulkAction> ACTIONS = List.of(BulkAction.CANCEL, BulkAction.DELETE, BulkAction.BURY,
			BulkAction.REDRIVE, BulkAction.REDRIVE, BulkAction.REDRIVE, BulkAction.RUN, BulkAction.RESCHEDULE,
			BulkAction.CHANGE, BulkAction.CHANGE);

	private final Simulation run;

	private final List<Job> jobs = new ArrayList<>();

	/**
	 * The payloads with which messages were handled, by their first names.
	 */
	private final Map<String, List<String>> payloads = new HashMap<>();

	private int waiting;

	Jobs(Simulation run) {
		this.run = run;
	}

	/**
	 * Begins a job, or redrives all dead messages.
	 */
	void begin() {
		List<Simulation.Instance> living = this.run.living();
		if (living.isEmpty()) {
			return;
		}
		Random random = this.run.random;
		Simulation.Instance instance = living.get(random.nextInt(living.size()));
		Double perSecond = random.nextBoolean() ? 2.0 + random.nextInt(20) : null;
		BulkAction action = ACTIONS.get(random.nextInt(ACTIONS.size()));
		String kind = "kind" + random.nextInt(Messages.KINDS);
		BulkRequest request = BulkRequest.of(action, MessageFilter.all().header(Messages.KIND, kind));
		if (action == BulkAction.RESCHEDULE) {
			request = request.delay(Duration.ofMillis(random.nextInt(20_000)));
		}
		if (action == BulkAction.CHANGE) {
			request = request.change(MessageChange.none().payload("\"change" + this.jobs.size() + '"'));
		}
		if (random.nextInt(4) == 0) {
			request = request.limit(1 + random.nextInt(5));
		}
		boolean stops = random.nextInt(6) == 0;
		if (action == BulkAction.REDRIVE && perSecond != null && random.nextInt(3) == 0 && !this.run.bundling) {
			instance.threads.executeWaiting(() -> redrive(instance, perSecond));
			return;
		}
		Job job = new Job((perSecond != null) ? request.perSecond(perSecond) : request, kind);
		instance.threads.executeWaiting(() -> begin(instance, job, stops));
	}

	private void begin(Simulation.Instance instance, Job job, boolean stops) {
		if (this.run.killing && this.run.random.nextInt(3) == 0) {
			this.run.time.schedule(() -> this.run.killUnlessAlone(instance),
					SimulatedInstance.millis(this.run.random, 0, 60));
		}
		attempt(instance, job, () -> {
			job.id = instance.application.admin().jobs().start(Simulation.QUEUE, job.request).id();
			if (stops) {
				instance.threads.schedule(() -> instance.threads.executeWaiting(() -> stop(instance, job)),
						SimulatedInstance.millis(this.run.random, 0, 3000));
			}
		});
	}

	private void redrive(Simulation.Instance instance, double perSecond) {
		Job job = new Job(BulkRequest.of(BulkAction.REDRIVE, MessageFilter.all()).perSecond(perSecond), null);
		attempt(instance, job,
				() -> instance.application.admin()
					.deadLetters()
					.redrive(Simulation.QUEUE, DeadLetterFilter.all(), perSecond));
	}

	private void attempt(Simulation.Instance instance, Job job, Runnable command) {
		this.waiting++;
		this.jobs.add(job);
		job.begins(this.run);
		Runnable changed = this.run.history.changes(job::changes);
		this.run.note(instance + " begins " + job);
		try {
			command.run();
			job.accepted = true;
			this.run.count("jobs: " + job.request.action());
			this.run.note(instance + " was notified that it has begun " + job);
		}
		catch (QueueException ex) {
			this.run.count("jobs refused");
			this.run.note(instance + " was notified that it has not begun " + job + ": " + ex);
		}
		finally {
			changed.run();
			this.waiting--;
		}
	}

	private void stop(Simulation.Instance instance, Job job) {
		this.run.note(instance + " stops " + job);
		job.stopped = true;
		try {
			instance.application.admin().jobs().stop(Objects.requireNonNull(job.id));
			this.run.count("jobs stopped");
		}
		catch (QueueException ex) {
			this.run.note(instance + " does not know whether it has stopped " + job + ": " + ex);
		}
	}

	/**
	 * The server's clock goes back. By it, messages that are sent from now on may have
	 * been sent before the jobs began.
	 */
	void clockGoesBack() {
		this.jobs.forEach((job) -> this.run.history.changes(job::changes));
	}

	/**
	 * A message is handled with a payload, which is that of its sender or of a job.
	 */
	void reads(Story story, String payload) {
		if (payload.startsWith("\"change")) {
			this.run.count("handled with a changed payload");
		}
		if (story.kind == null) {
			// It is not for jobs that change, and may have been gathered.
			return;
		}
		this.payloads.computeIfAbsent(story.uid, (name) -> new ArrayList<>()).add(payload);
		this.run.check(
				payload.equals('"' + story.uid + '"')
						|| this.jobs.stream().anyMatch((job) -> job.matches(story) && payload.equals(job.payload())),
				story.uid + " is handled with the payload " + payload + ", which nobody gave it");
	}

	/**
	 * Returns whether none is about to begin.
	 */
	boolean areBegun() {
		return this.waiting == 0;
	}

	/**
	 * Checks that all jobs have ended, and have done what they were to do.
	 * @param stored what Redis has of them
	 * @param all whether it keeps all that have ended
	 */
	void checkEnd(List<JobsKey.Job> stored, boolean all) {
		Map<String, JobsKey.Job> byId = stored.stream().collect(Collectors.toMap(JobsKey.Job::id, Function.identity()));
		for (Job job : this.jobs) {
			JobsKey.Job its = byId.get(job.id);
			if (job.id != null && its == null) {
				this.run.check(!all || this.run.history.wentBackSince(0), job + " is not known any more");
			}
			else if (job.id != null) {
				check(job, its);
			}
			else if (job.kind == null && job.accepted && !this.run.faulty) {
				checkRedriven(job);
				checkRate(job, 1);
			}
		}
	}

	private void check(Job job, JobsKey.Job stored) {
		this.run.check(stored.state() == JobsKey.Job.State.DONE
				|| (job.stopped && stored.state() == JobsKey.Job.State.STOPPED), job + " is " + stored.state());
		JsonNode progress = JsonMapper.shared().readTree(stored.progress().isEmpty() ? "{}" : stored.progress());
		long matched = progress.path("matched").asLong(0);
		long done = progress.path("done").asLong(0);
		this.run.check(matched == done + progress.path("refused").asLong(0), job + " counts wrongly: " + progress);
		long most = this.run.history.stories().stream().filter(job::matches).count();
		this.run.check(done <= most, job + " was done with " + done + " messages, and there are " + most);
		Long limit = job.request.limit();
		boolean calm = !this.run.faulty && !this.run.killing;
		this.run.check(limit == null || done <= limit || !calm, job + " was done with " + done);
		if (this.run.faulty || this.run.steered || stored.state() != JobsKey.Job.State.DONE || limit != null) {
			return;
		}
		long ended = Objects.requireNonNull(stored.ended()).toEpochMilli();
		job.known.forEach((story, known) -> {
			boolean alone = story.changes == 1 && story.id == null && !story.mayExpire();
			boolean later = !known.dead() && known.begun() == 0 && story.delayed && known.earliest() > ended;
			if (alone && later) {
				checkScheduled(job, story, known, ended);
			}
			else if (alone && known.dead() && job.request.action() == BulkAction.DELETE) {
				this.run.check(!this.run.isDead(Simulation.QUEUE, story), story.uid + " is there after " + job);
			}
		});
		checkRedriven(job);
		Double perSecond = job.request.perSecond();
		if (calm && job.request.action() == BulkAction.REDRIVE && perSecond != null) {
			checkRate(job, Math.max(1, (int) (perSecond / 2)));
		}
	}

	/**
	 * Checks a message that was scheduled for a time after the end of the job.
	 */
	private void checkScheduled(Job job, Story story, Known known, long ended) {
		long first = story.beganAt.isEmpty() ? Long.MAX_VALUE : story.beganAt.get(0);
		switch (job.request.action()) {
			case CANCEL, DELETE ->
				this.run.check(story.begun == 0, story.uid + " was scheduled, and is handled after " + job);
			case BURY -> this.run.check(story.begun == 0 && this.run.isDead(Simulation.QUEUE, story),
					story.uid + " was scheduled, and is not dead after " + job);
			case RESCHEDULE -> {
				long delay = Objects.requireNonNull(job.request.delay()).toMillis();
				this.run.check(first >= job.at + delay,
						story.uid + " is handled " + (job.at + delay - first) + " ms before it is due by " + job);
			}
			case CHANGE -> this.run.check(
					this.payloads.getOrDefault(story.uid, List.of()).stream().allMatch(job.payload()::equals), story.uid
							+ " was scheduled, and is handled with " + this.payloads.get(story.uid) + " after " + job);
			case RUN -> this.run.check(
					this.run.isHindered() || this.run.killing || first <= ended + Simulation.LATEST.toMillis(),
					story.uid + " was to be handled before " + ended + " by " + job + ", and was not, but at "
							+ known.earliest());
			default -> {
			}
		}
	}

	/**
	 * Checks that messages that were dead have lived again.
	 */
	private void checkRedriven(Job job) {
		if (job.request.action() == BulkAction.REDRIVE) {
			job.known.forEach((story, known) -> {
				if (known.dead() && story.changes == 1 && story.id == null && !story.mayExpire()) {
					this.run.count("dead messages redriven");
					this.run.check(story.begun > known.begun(),
							story.uid + " was dead, and is not handled again after " + job);
				}
			});
		}
	}

	/**
	 * Checks that messages did not live again sooner than a rate allows.
	 * @param atOnce how many may do so together
	 */
	private void checkRate(Job job, int atOnce) {
		List<Long> times = livedAgain(job.known);
		double perSecond = Objects.requireNonNull(job.request.perSecond());
		for (int i = 0; i < times.size(); i++) {
			long earliest = job.at + (long) ((i + 1 - atOnce) * 1000 / perSecond) - 1;
			this.run.check(times.get(i) >= earliest, (i + 1) + " messages lived again within " + (times.get(i) - job.at)
					+ " ms of " + job + ", and the rate is " + perSecond);
		}
	}

	/**
	 * Returns when dead messages lived again. Payloads that have gathered are one
	 * message.
	 */
	static List<Long> livedAgain(Map<Story, Known> before) {
		Map<Story, Long> times = new HashMap<>();
		before.forEach((story, known) -> {
			if (known.dead() && story.changes == 1 && story.begun > known.begun()) {
				times.merge(story.first, story.beganAt.get(known.begun()), Math::min);
			}
		});
		return times.values().stream().sorted().toList();
	}

	/**
	 * What was known of a message before a job began.
	 *
	 * @param earliest when it was due at the earliest
	 * @param begun how often it had been handled
	 */
	record Known(boolean dead, long earliest, int begun) {
	}

	/**
	 * A job.
	 */
	private static final class Job {

		private final BulkRequest request;

		/**
		 * Which messages it is for, or {@code null} for all.
		 */
		private final String kind;

		private final Map<Story, Known> known = new LinkedHashMap<>();

		/**
		 * When it was asked for, by the clock of the server.
		 */
		private long at;

		private String id;

		private boolean accepted;

		private boolean stopped;

		Job(BulkRequest request, String kind) {
			this.request = request;
			this.kind = kind;
		}

		/**
		 * Returns the payload that it gives, or {@code null}.
		 */
		String payload() {
			return (this.request.change() != null) ? this.request.change().payload() : null;
		}

		boolean matches(Story story) {
			return this.kind == null || this.kind.equals(story.kind);
		}

		void begins(Simulation run) {
			this.at = run.now();
			for (Story story : run.history.stories()) {
				if (matches(story) && story.sentAt > 0 && !story.refused && !story.isRescheduled) {
					this.known.put(story, new Known(run.isDead(Simulation.QUEUE, story), story.earliest, story.begun));
				}
			}
		}

		/**
		 * It may change a message.
		 */
		void changes(Story story) {
			if (!matches(story)) {
				return;
			}
			story.changes++;
			switch (this.request.action()) {
				case CANCEL, DELETE -> story.mayBeCancelled = true;
				case BURY -> story.mayBeBuried = true;
				case REDRIVE -> story.redrives++;
				case CHANGE -> {
				}
				default -> {
					story.isRescheduled = true;
					story.reschedules++;
					story.earliest = Long.MIN_VALUE;
				}
			}
			if (story.mayBeBuried && story.redrives > 0) {
				story.earliest = Long.MIN_VALUE;
			}
		}

		@Override
		public String toString() {
			return "the job " + this.request.action() + ((this.kind != null) ? " of " + this.kind : "")
					+ ((this.request.perSecond() != null) ? " at " + this.request.perSecond() + "/s" : "")
					+ ((this.request.limit() != null) ? " of " + this.request.limit() + " messages" : "")
					+ ((this.request.delay() != null) ? " by " + this.request.delay() : "");
		}

	}

}
