package io.redelay.queue.admin.engine;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.redelay.queue.admin.QueueCheck;
import io.redelay.queue.admin.QueueCheck.Kind;
import io.redelay.queue.admin.QueueCheck.Problem;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.message.PackedMessages;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.FarScript;
import org.jspecify.annotations.Nullable;

/**
 * Checks a queue part by part, in bounded steps, while it is used. A step is consistent
 * in itself. An apparent problem between two keys that do not fit in one step is checked
 * again in one step before it counts.
 */
record QueueChecker(AdminScripts store) {

	private static final int STEP = 500;

	/**
	 * How many entries of a part are looked at.
	 */
	private static final int MOST_ENTRIES = 1_000_000;

	private static final int MOST_HELD = 10_000;

	private static final int MOST_PROBLEMS = 100;

	private static final int MOST_CHUNKS = 8;

	/**
	 * How many uids one step looks for in lists; the time grows with the length of the
	 * lists.
	 */
	private static final int MOST_PLACED = 10;

	private static final int MOST_PLACED_STEPS = 20;

	QueueCheck check(String queue, Collection<String> partitions) {
		Findings findings = new Findings();
		for (String partition : partitions) {
			new Run(partition, findings).check();
		}
		return new QueueCheck(queue, findings.time, findings.examined, findings.complete, findings.count,
				findings.problems);
	}

	/**
	 * The results for all parts of all partitions.
	 */
	private static final class Findings {

		private final List<Problem> problems = new ArrayList<>();

		private Instant time = Instant.EPOCH;

		private boolean complete = true;

		private long examined;

		private long count;

		private void add(Kind kind, String partition, String subject, String detail) {
			this.count++;
			if (this.problems.size() < MOST_PROBLEMS) {
				this.problems.add(new Problem(kind, partition, subject, detail));
			}
		}

	}

	private final class Run {

		private final String partition;

		private final Findings findings;

		/**
		 * Living messages that must be in a list.
		 */
		private final Set<String> unplaced = new HashSet<>();

		Run(String partition, Findings findings) {
			this.partition = partition;
			this.findings = findings;
		}

		void check() {
			for (CheckScript.Part part : CheckScript.Part.values()) {
				switch (part) {
					case PLACED -> checkPlaced();
					case HELD, CANCELLED -> step(part, "0", MOST_HELD, List.of());
					default -> walk(part);
				}
			}
			checkChunks();
		}

		/**
		 * Whether each chunk of packed messages can be read, and has as many as it says.
		 */
		private void checkChunks() {
			FarScript far = QueueChecker.this.store.far();
			FarScript.Chunk last = null;
			FarScript.Chunks found;
			int steps = 0;
			do {
				found = StoreCalls.await(far.chunks(this.partition, true, MOST_CHUNKS, null, last));
				for (FarScript.Chunk chunk : found.chunks()) {
					FarScript.Chunk before = last;
					last = chunk;
					String problem = chunk.problem();
					if (problem != null) {
						this.findings.add(Kind.NO_BODY, this.partition, "chunk " + chunk.number(),
								chunk.left() + " messages are packed in it, and cannot be read: " + problem);
					}
					else if (chunk.left() > 0) {
						checkCount(chunk, before);
					}
				}
			}
			while (found.hasNext() && ++steps < MOST_ENTRIES / MOST_CHUNKS / PackedMessages.MAX_MESSAGES);
			this.findings.complete &= !found.hasNext();
			if (last != null && !StoreCalls.await(QueueChecker.this.store.names().far()).contains(this.partition)) {
				this.findings.add(Kind.STRANDED, this.partition, "chunk " + last.number(),
						"the queue is not in the list of those with packed messages, so that they come near only if it is"
								+ " claimed from");
			}
		}

		/**
		 * Compares how many messages a chunk says that it has with those that it has,
		 * unless that has changed meanwhile. A chunk with more messages than it says
		 * would be removed too early, so its messages are brought near.
		 * @param before the chunk before it, if there is one
		 */
		private void checkCount(FarScript.Chunk chunk, FarScript.@Nullable Chunk before) {
			AdminScripts store = QueueChecker.this.store;
			long there = count(chunk);
			if (there == chunk.left()) {
				return;
			}
			List<FarScript.Chunk> again = StoreCalls.await(store.far().chunks(this.partition, false, 1, null, before))
				.chunks();
			boolean same = !again.isEmpty() && again.get(0).number().equals(chunk.number())
					&& again.get(0).left() == chunk.left() && count(chunk) == there;
			if (!same) {
				this.findings.complete = false;
				return;
			}
			boolean mends = there > chunk.left() && !store.runner().isReading()
					&& StoreCalls.await(store.far().thaw(this.partition, chunk)) == FarScript.Thawed.NEAR;
			if (mends) {
				StoreCalls.await(store.far().recount(this.partition)); // it may be too
																		// low as well
			}
			this.findings.add(Kind.SIZE, this.partition, "chunk " + chunk.number(),
					"%d packed messages are recorded, and %d are there%s".formatted(chunk.left(), there,
							mends ? "; they were brought near" : ""));
		}

		private long count(FarScript.Chunk chunk) {
			return StoreCalls.await(QueueChecker.this.store.far().count(this.partition, chunk));
		}

		private void walk(CheckScript.Part part) {
			String first = null;
			String next = "0";
			long bytes = 0;
			CheckScript.Step step;
			for (int entries = 0; next != null; entries += step.examined()) {
				if (entries >= MOST_ENTRIES) {
					this.findings.complete = false;
					return;
				}
				step = step(part, next, STEP, List.of());
				bytes += step.bytes();
				first = (first != null) ? first : step.recorded();
				next = step.next();
				if (next == null && step.recorded() != null) {
					checkSize(part, bytes, first, step.recorded());
				}
			}
		}

		/**
		 * Compares sizes, unless the part has changed meanwhile.
		 */
		private void checkSize(CheckScript.Part part, long bytes, @Nullable String before, String recorded) {
			if (!recorded.equals(before)) {
				this.findings.complete = false;
			}
			else if (!recorded.startsWith(bytes + " ")) {
				boolean far = part == CheckScript.Part.FAR;
				boolean counted = far && !QueueChecker.this.store.runner().isReading()
						&& StoreCalls.await(QueueChecker.this.store.far().recount(this.partition));
				this.findings.add(Kind.SIZE, this.partition, part.text(),
						"%s %s are recorded, and %d are there%s".formatted(recorded.substring(0, recorded.indexOf(' ')),
								far ? "packed messages" : "bytes", bytes, counted ? "; they were counted again" : ""));
			}
		}

		private void checkPlaced() {
			List<String> uids = List.copyOf(this.unplaced);
			for (int from = 0; from < uids.size(); from += MOST_PLACED) {
				if (from >= MOST_PLACED * MOST_PLACED_STEPS) {
					this.findings.complete = false;
					return;
				}
				step(CheckScript.Part.PLACED, "0", STEP, uids.subList(from, Math.min(uids.size(), from + MOST_PLACED)));
			}
		}

		private CheckScript.Step step(CheckScript.Part part, String from, int count, List<String> uids) {
			CheckScript.Step step = StoreCalls
				.await(new CheckScript(QueueChecker.this.store.runner()).run(this.partition, part, from, count, uids));
			this.findings.time = step.time();
			this.findings.examined += step.examined();
			step.problems().forEach(this::note);
			return step;
		}

		private void note(CheckScript.Problem problem) {
			switch (problem.kind()) {
				case CheckScript.Problem.UNPLACED -> this.unplaced.add(problem.subject());
				case CheckScript.Problem.LISTED -> this.unplaced.remove(problem.subject());
				case CheckScript.Problem.NOT_CHECKED -> this.findings.complete = false;
				default -> this.findings.add(Kind.valueOf(problem.kind()), this.partition, problem.subject(),
						problem.detail());
			}
		}

	}

}
