package io.redelay.queue.store.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.store.JobStore;
import io.redelay.queue.store.ScriptTime;
import io.redelay.queue.store.StoredJob;
import io.redelay.queue.store.TakenJobs;
import org.jspecify.annotations.Nullable;

/**
 * Keeps jobs on Redis, all in one key.
 */
final class RedisJobStore implements JobStore {

	private static final String RUN = "/run";

	private static final String AT = "/at";

	/**
	 * How long an ended job is shown. Its fields stay until another job begins or ends.
	 */
	private static final Duration KEPT = Duration.ofDays(1);

	private final ScriptRunner runner;

	RedisJobStore(ScriptRunner runner) {
		this.runner = runner;
	}

	@Override
	public CompletableFuture<@Nullable StoredJob> begin(String id, String request, String owner, Duration lease) {
		return one(write("Beginning a job", "begin", id, request, owner, ScriptTime.millis(lease)));
	}

	@Override
	public CompletableFuture<TakenJobs> take(String owner, Duration lease, int most) {
		return write("Taking over jobs", "take", owner, ScriptTime.millis(lease), Integer.toString(most));
	}

	@Override
	public CompletableFuture<@Nullable StoredJob> note(String id, String owner, Duration lease, long number,
			StoredJob.State state, String progress) {
		return one(write("Noting how far the job '" + id + "' is", "note", id, owner, ScriptTime.millis(lease),
				Long.toString(number), state.name(), progress));
	}

	@Override
	public CompletableFuture<@Nullable StoredJob> stop(String id) {
		return one(write("Stopping the job '" + id + "'", "stop", id));
	}

	private static CompletableFuture<@Nullable StoredJob> one(CompletableFuture<TakenJobs> jobs) {
		return jobs.thenApply((all) -> all.taken().isEmpty() ? null : all.taken().get(0));
	}

	/**
	 * None if the script refuses.
	 */
	private CompletableFuture<TakenJobs> write(String what, Object... args) {
		return this.runner.run(what, Script.JOBS_WRITE, List.of(key()), args, (reply) -> {
			boolean accepted = reply.text().equals("OK");
			reply.time();
			List<StoredJob> jobs = new ArrayList<>();
			int running = accepted ? Integer.parseInt(reply.text()) : 0;
			while (accepted && reply.hasNext()) {
				String id = reply.text();
				jobs.add(job(id, reply.text(), reply.text(), reply.text()));
			}
			return new TakenJobs(jobs, running);
		});
	}

	@Override
	public CompletableFuture<List<StoredJob>> list() {
		return this.runner.run("Listing the jobs", Script.JOBS_LIST, List.of(key()), new Object[0], (reply) -> {
			Instant oldest = reply.time().minus(KEPT);
			Map<String, String> fields = new HashMap<>();
			while (reply.hasNext()) {
				fields.put(reply.text(), reply.text());
			}
			List<StoredJob> jobs = new ArrayList<>();
			fields.forEach((name, run) -> {
				if (name.endsWith(RUN)) {
					String id = name.substring(0, name.length() - RUN.length());
					StoredJob job = job(id, run, fields.getOrDefault(id, ""), fields.getOrDefault(id + AT, ""));
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
	private static StoredJob job(String id, String run, String request, String progress) {
		String[] words = run.split(" ", 6);
		long ended = Long.parseLong(words[4]);
		return new StoredJob(id, StoredJob.State.valueOf(words[0]), Instant.ofEpochMilli(Long.parseLong(words[3])),
				(ended > 0) ? Instant.ofEpochMilli(ended) : null, Long.parseLong(words[2]), words[5], request,
				progress);
	}

	private String key() {
		return this.runner.key("jobs");
	}

}
