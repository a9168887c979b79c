package io.redelay.queue.script.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import org.jspecify.annotations.Nullable;

/**
 * Jobs on many messages, all in one key. One instance at a time carries out a job, as
 * long as its lease lasts. The last hundred ended jobs are kept for a day. The scripts do
 * not interpret the request and the progress of a job.
 *
 * @param runner runs the script
 * @since 0.1.0
 */
public record JobsKey(ScriptRunner runner) {

	private static final String KEY = "jobs";

	private static final String RUN = "/run";

	private static final String AT = "/at";

	/**
	 * How long an ended job is shown. Its fields stay until another job begins or ends.
	 */
	private static final Duration KEPT = Duration.ofDays(1);

	/**
	 * Begins a job, unless there is one of this id.
	 * @param id its id, which was never used
	 * @param request its request
	 * @param owner the instance that has it, or empty if any instance may take it
	 * @param lease how long it is its owner's
	 * @return the job, or {@code null} if too many run
	 */
	public CompletableFuture<@Nullable Job> begin(String id, String request, String owner, Duration lease) {
		return one(write("Beginning a job", "begin", id, request, owner, ScriptTime.millis(lease)));
	}

	/**
	 * Takes over jobs that have no owner.
	 * @param owner the instance that takes them
	 * @param lease how long they are its
	 * @param most how many at most
	 * @return the jobs that were taken, and how many run
	 */
	public CompletableFuture<Taken> take(String owner, Duration lease, int most) {
		return write("Taking over jobs", "take", owner, ScriptTime.millis(lease), most);
	}

	/**
	 * Notes how far a job is, and renews the lease of its owner.
	 * @param id its id
	 * @param owner its owner
	 * @param lease how long it is its owner's from now on; zero gives it up
	 * @param number the number of this note, larger than those before
	 * @param state whether it runs, is done or has failed
	 * @param progress how far it is
	 * @return the job, or {@code null} if another instance has it or it was forgotten
	 */
	public CompletableFuture<@Nullable Job> note(String id, String owner, Duration lease, long number, Job.State state,
			String progress) {
		return one(write("Noting how far the job '" + id + "' is", "note", id, owner, ScriptTime.millis(lease), number,
				state.name(), progress));
	}

	/**
	 * Stops a job, unless it has ended.
	 * @param id its id
	 * @return the job, or {@code null} if there is none
	 */
	public CompletableFuture<@Nullable Job> stop(String id) {
		return one(write("Stopping the job '" + id + "'", "stop", id));
	}

	private static CompletableFuture<@Nullable Job> one(CompletableFuture<Taken> jobs) {
		return jobs.thenApply((all) -> all.taken().isEmpty() ? null : all.taken().get(0));
	}

	/**
	 * None if the script refuses.
	 */
	private CompletableFuture<Taken> write(String what, Object... args) {
		return this.runner.runOnKey(Script.JOBS_WRITE, KEY, what, (reply) -> {
			boolean accepted = reply.text().equals("OK");
			reply.time();
			List<Job> jobs = new ArrayList<>();
			int running = accepted ? (int) reply.number() : 0;
			while (accepted && reply.hasNext()) {
				String id = reply.text();
				jobs.add(job(id, reply.text(), reply.text(), reply.text()));
			}
			return new Taken(jobs, running);
		}, args);
	}

	/**
	 * Lists all jobs.
	 * @return the jobs, in no order
	 */
	public CompletableFuture<List<Job>> list() {
		return this.runner.runOnKey(Script.JOBS_LIST, KEY, "Listing the jobs", (reply) -> {
			Instant oldest = reply.time().minus(KEPT);
			Map<String, String> fields = new HashMap<>();
			while (reply.hasNext()) {
				fields.put(reply.text(), reply.text());
			}
			List<Job> jobs = new ArrayList<>();
			fields.forEach((name, run) -> {
				if (name.endsWith(RUN)) {
					String id = name.substring(0, name.length() - RUN.length());
					Job job = job(id, run, fields.getOrDefault(id, ""), fields.getOrDefault(id + AT, ""));
					Instant ended = job.ended();
					if (ended == null || ended.isAfter(oldest)) {
						jobs.add(job);
					}
				}
			});
			return jobs;
		});
	}

	/**
	 * @param run state, end of the lease, number of the last note, beginning, end and
	 * owner
	 */
	private static Job job(String id, String run, String request, String progress) {
		String[] words = run.split(" ", 6);
		long ended = Long.parseLong(words[4]);
		return new Job(id, Job.State.valueOf(words[0]), Instant.ofEpochMilli(Long.parseLong(words[3])),
				(ended > 0) ? Instant.ofEpochMilli(ended) : null, Long.parseLong(words[2]), words[5], request,
				progress);
	}

	/**
	 * The reply to an instance that looks for jobs without an owner.
	 *
	 * @param taken the jobs that it owns now
	 * @param running how many run, on all instances
	 */
	public record Taken(List<Job> taken, int running) {

		/**
		 * Copies the jobs.
		 */
		public Taken {
			taken = List.copyOf(taken);
		}

	}

	/**
	 * A job as the store knows it.
	 *
	 * @param id its id
	 * @param state whether it runs
	 * @param began when it began, by the clock of the store
	 * @param ended when it ended, if it has
	 * @param number the number of the last note
	 * @param owner the instance that has it or had it last, or empty
	 * @param request its request
	 * @param progress its progress, or empty at first
	 */
	public record Job(String id, State state, Instant began, @Nullable Instant ended, long number, String owner,
			String request, String progress) {

		/**
		 * Whether a job runs, or how it ended.
		 */
		public enum State {

			/**
			 * It runs, or waits for an instance that carries it out.
			 */
			RUNNING,

			/**
			 * All was done.
			 */
			DONE,

			/**
			 * It was stopped.
			 */
			STOPPED,

			/**
			 * It cannot go on.
			 */
			FAILED

		}

	}

}
