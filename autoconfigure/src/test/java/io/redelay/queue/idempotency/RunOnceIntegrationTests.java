package io.redelay.queue.idempotency;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.wire.StoreWorkbench;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.redisson.client.codec.StringCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of the script that begins and ends runs with an idempotency key, by examples and
 * against a model. The system properties {@code redelay.test.seed} and {@code -.seeds}
 * repeat a failure or make it long.
 */
class RunOnceIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private static final Duration LEASE = Duration.ofMillis(900);

	private static final Duration WINDOW = Duration.ofSeconds(3);

	private final String queue = TestRedis.queue();

	private final StoreWorkbench workbench = new StoreWorkbench(redis.client(), this.queue, timer);

	private final Map<String, Long> seqs = new HashMap<>();

	private long now = System.currentTimeMillis() + Duration.ofHours(1).toMillis();

	@AfterAll
	static void shutDown() {
		timer.shutdownNow();
	}

	@BeforeEach
	void setClock() {
		pass(Duration.ZERO);
	}

	@Test
	void aKeyRunsOnceAtATimeAndIsThenDoneForItsWindow() {
		assertThat(words("a", begin("k", "1"), begin("k", "2"), begin("l", "3"))).containsExactly("MINE", "RUNNING",
				"MINE");
		pass(Duration.ofMillis(500));
		RunOnceScript.Answer running = run("b", begin("k", "1")).get(0);
		assertThat(running).isEqualTo(new RunOnceScript.Answer(RunOnceScript.Answer.State.RUNNING,
				Duration.ofMillis(500), Duration.ofMillis(400)));
		assertThat(words("a", done("k", "1"))).containsExactly("OK");
		assertThat(words("b", begin("k", "2"))).containsExactly("DONE");
		pass(WINDOW.minusMillis(1));
		assertThat(words("b", begin("k", "3"))).containsExactly("DONE");
		pass(Duration.ofMillis(1));
		assertThat(words("b", begin("k", "4"))).containsExactly("MINE");
	}

	@Test
	void aFailedRunFreesItsKeyAndNoOther() {
		assertThat(words("a", begin("k", "1"))).containsExactly("MINE");
		assertThat(words("b", free("k", "1"), begin("k", "2"))).containsExactly("OK", "RUNNING");
		assertThat(words("a", free("k", "7"), begin("k", "2"))).containsExactly("OK", "RUNNING");
		assertThat(words("a", free("k", "1"))).containsExactly("OK");
		assertThat(words("b", begin("k", "3"))).containsExactly("MINE");
	}

	@Test
	void aKeyIsTakenOverWhenTheLeaseOfItsOwnerIsOver() {
		run("a", begin("k", "1"), begin("l", "2"));
		pass(LEASE.minusMillis(1));
		assertThat(words("b", begin("k", "1"))).containsExactly("RUNNING");
		run("a");
		pass(LEASE.minusMillis(1));
		assertThat(words("b", begin("k", "2"))).as("renewed").containsExactly("RUNNING");
		pass(Duration.ofMillis(1));
		assertThat(words("b", begin("k", "3"))).containsExactly("MINE");
		assertThat(words("a", free("k", "1"), begin("l", "3"))).as("what nobody took is still its own")
			.containsExactly("OK", "MINE");
		assertThat(words("c", begin("k", "1"))).as("what was taken over stays with who took it")
			.containsExactly("RUNNING");
		run("a", done("k", "1"));
		assertThat(words("c", begin("k", "2"))).as("what succeeded after all is done").containsExactly("DONE");
	}

	@Test
	void anOwnerThatEndsFreesWhatItRunsAndMayStillRecord() {
		run("a", begin("k", "1"), begin("l", "2"));
		request("a", Duration.ZERO);
		assertThat(words("b", begin("k", "1"))).containsExactly("MINE");
		request("a", Duration.ZERO, done("l", "2"));
		assertThat(words("b", begin("l", "2"))).containsExactly("DONE");
	}

	@Test
	void aRequestThatComesAgainGivesWhatItGaveAndALateOneDoesNothing() {
		RunOnceScript.Request first = new RunOnceScript.Request("a", 1, 0, null, LEASE, List.of(begin("k", "1")));
		assertThat(states(send(first))).containsExactly("MINE");
		assertThat(states(send(first))).containsExactly("MINE");
		RunOnceScript.Request refused = new RunOnceScript.Request("b", 1, 0, null, LEASE, List.of(begin("k", "1")));
		assertThat(states(send(refused))).containsExactly("RUNNING");
		send(new RunOnceScript.Request("a", 2, 1, null, LEASE, List.of(free("k", "1"))));
		assertThat(states(send(refused))).as("what was answered stays answered").containsExactly("RUNNING");
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> send(first));
		assertThat(words("c", begin("k", "1"))).as("the late one took nothing").containsExactly("MINE");
	}

	@Test
	void anOwnerOfWhichAnAnsweredRequestIsForgottenIsReportedAndAnotherOneTakesItsPlace() {
		run("a", begin("ended", "1"), begin("free", "2"), begin("taken", "3"));
		Map<String, String> before = running();
		run("a", free("ended", "1"), done("free", "2"), begin("goes-on", "4"));
		redis.client().getBucket(key("idempotent:running")).delete();
		redis.client().getMap(key("idempotent:running"), StringCodec.INSTANCE).putAll(before);
		RunOnceScript.Request behind = new RunOnceScript.Request("a", 3, 2, null, LEASE, List.of(begin("ended", "5")));
		assertThat(reply(behind)).isEqualTo(new RunOnceScript.Reply(LaneStatus.BEHIND, List.of()));
		assertThat(running()).as("nothing was done").isEqualTo(before);
		assertThat(words("b", begin("ended", "1"))).as("as Redis believes").containsExactly("RUNNING");
		assertThat(states(send(new RunOnceScript.Request("a2", 1, 0, "a", LEASE,
				List.of(begin("goes-on", "4"), begin("taken", "3"))))))
			.containsExactly("MINE", "MINE");
		assertThat(words("b", begin("ended", "2"), begin("goes-on", "3"), begin("taken", "4"))).containsExactly("MINE",
				"RUNNING", "RUNNING");
	}

	@Test
	void anUnansweredRequestThatNeverCameIsNotTakenForAForgottenOne() {
		run("a", begin("k", "1"));
		assertThat(states(send(new RunOnceScript.Request("a", 3, 1, null, LEASE, List.of(begin("l", "2"))))))
			.containsExactly("MINE");
	}

	@Test
	void whatCrashedOwnersLeftIsClearedUpInBoundedSteps() {
		for (int owner = 0; owner < 10; owner++) {
			String name = "dead" + owner;
			int first = owner * 200;
			run(name,
					IntStream.range(first, first + 200)
						.mapToObj((i) -> begin("k" + i, "1"))
						.toArray(RunOnceScript.Step[]::new));
		}
		assertThat(running()).hasSize(2010);
		pass(LEASE);
		int steps = 0;
		while (running().size() > 1) {
			run("a");
			assertThat(++steps).isLessThan(200);
		}
		assertThat(steps).as("not all at once").isGreaterThan(2);
		run("a");
		assertThat(redis.client().getScoredSortedSet(key("idempotent:owners"), StringCodec.INSTANCE).readAll())
			.containsExactly("a");
		assertThat(running()).containsOnlyKeys("@a");
	}

	@Test
	void whatIsForgottenIsRemovedInBoundedStepsAndEachKeyExpires() {
		for (int i = 0; i < 1000; i += 200) {
			run("a", IntStream.range(i, i + 200)
				.mapToObj((n) -> done("k" + n, "1"))
				.toArray(RunOnceScript.Step[]::new));
		}
		pass(WINDOW);
		int left = redis.client().getScoredSortedSet(key("idempotent"), StringCodec.INSTANCE).size();
		run("a");
		assertThat(redis.client().getScoredSortedSet(key("idempotent"), StringCodec.INSTANCE).size())
			.isBetween(left - 100, left - 1);
		for (String name : List.of("idempotent", "idempotent:running", "idempotent:owners")) {
			assertThat(redis.client().getBucket(key(name)).remainTimeToLive()).as(name).isPositive();
		}
	}

	@ParameterizedTest
	@MethodSource("seeds")
	void doesWhatTheModelDoes(long seed) {
		System.out.printf("Seed %d: repeat with -Dredelay.test.seed=%d -Dredelay.test.seeds=1%n", seed, seed);
		Model model = new Model(new Random(seed));
		for (int i = 0; i < 600; i++) {
			model.step("seed " + seed + ", step " + i);
		}
	}

	static Stream<Long> seeds() {
		long first = Long.getLong("redelay.test.seed", System.nanoTime());
		return LongStream.range(first, first + Integer.getInteger("redelay.test.seeds", 4)).boxed();
	}

	private void pass(Duration time) {
		this.now += time.toMillis();
		this.workbench.setClock(this.now);
	}

	private List<RunOnceScript.Answer> run(String owner, RunOnceScript.Step... steps) {
		return request(owner, LEASE, steps);
	}

	private List<RunOnceScript.Answer> request(String owner, Duration lease, RunOnceScript.Step... steps) {
		return send(new RunOnceScript.Request(owner, this.seqs.merge(owner, 1L, Long::sum), 0, null, lease,
				List.of(steps)));
	}

	private List<RunOnceScript.Answer> send(RunOnceScript.Request request) {
		RunOnceScript.Reply reply = reply(request);
		assertThat(reply.status()).isEqualTo(LaneStatus.OK);
		return reply.answers();
	}

	private RunOnceScript.Reply reply(RunOnceScript.Request request) {
		return StoreWorkbench.get(new RunOnceScript(this.workbench.store.runner()).run(this.queue, request));
	}

	private List<String> words(String owner, RunOnceScript.Step... steps) {
		return states(run(owner, steps));
	}

	private static List<String> states(List<RunOnceScript.Answer> answers) {
		return answers.stream().map((answer) -> answer.state().name()).toList();
	}

	private static RunOnceScript.Step begin(String key, String run) {
		return new RunOnceScript.Step(RunOnceScript.Step.Action.BEGIN, "=" + key, run, Duration.ZERO);
	}

	private static RunOnceScript.Step done(String key, String run) {
		return new RunOnceScript.Step(RunOnceScript.Step.Action.DONE, "=" + key, run, WINDOW);
	}

	private static RunOnceScript.Step free(String key, String run) {
		return new RunOnceScript.Step(RunOnceScript.Step.Action.FREE, "=" + key, run, Duration.ZERO);
	}

	private String key(String name) {
		return "redelay:{" + this.queue + "}:" + name;
	}

	private Map<String, String> running() {
		return redis.client().<String, String>getMap(key("idempotent:running"), StringCodec.INSTANCE).readAllMap();
	}

	/**
	 * What Redis has of the runs.
	 */
	private record Stored(Map<String, String> running, Map<String, Double> done, Map<String, Double> owners) {
	}

	private Stored stored() {
		return new Stored(running(), scores("idempotent"), scores("idempotent:owners"));
	}

	private Map<String, Double> scores(String name) {
		Map<String, Double> scores = new TreeMap<>();
		redis.client()
			.<String>getScoredSortedSet(key(name), StringCodec.INSTANCE)
			.entryRange(0, -1)
			.forEach((entry) -> scores.put(entry.getValue(), entry.getScore()));
		return scores;
	}

	private void restore(Stored stored) {
		redis.client().getKeys().delete(key("idempotent"), key("idempotent:running"), key("idempotent:owners"));
		redis.client().getMap(key("idempotent:running"), StringCodec.INSTANCE).putAll(stored.running());
		redis.client().<String>getScoredSortedSet(key("idempotent"), StringCodec.INSTANCE).addAll(stored.done());
		redis.client()
			.<String>getScoredSortedSet(key("idempotent:owners"), StringCodec.INSTANCE)
			.addAll(stored.owners());
	}

	/**
	 * What the script does, without Redis: with owners that die, requests that come again
	 * or late, and a Redis that goes back in time.
	 */
	private final class Model {

		private final Random random;

		private Memory memory = new Memory();

		private Memory before = new Memory();

		private Stored stored = new Stored(Map.of(), Map.of(), Map.of());

		/**
		 * The last request of each owner, which was answered.
		 */
		private final Map<String, RunOnceScript.Request> last = new HashMap<>();

		private final List<RunOnceScript.Request> earlier = new ArrayList<>();

		private final int[] generations = new int[4];

		/**
		 * In whose place an owner is that Redis has not heard of yet.
		 */
		private final Map<String, String> formers = new HashMap<>();

		private int names;

		Model(Random random) {
			this.random = random;
		}

		void step(String where) {
			if (this.random.nextInt(10) == 0) {
				pass(Duration.ofMillis(this.random.nextInt(700)));
			}
			if (this.random.nextInt(40) == 0) {
				this.before = this.memory.copy();
				this.stored = stored();
			}
			else if (this.random.nextInt(60) == 0) {
				goBack();
			}
			int place = this.random.nextInt(4);
			String owner = owner(place);
			RunOnceScript.Request latest = this.last.get(owner);
			if (latest != null && this.random.nextInt(8) == 0) {
				// Its reply was lost, and it comes again.
				send(where + ", again", place, latest);
				return;
			}
			if (!this.earlier.isEmpty() && this.random.nextInt(12) == 0) {
				RunOnceScript.Request late = this.earlier.get(this.random.nextInt(this.earlier.size()));
				if (!this.memory.isAlive(late.owner())) {
					return;
				}
				assertThatExceptionOfType(StoreException.class).as("%s, late: %s", where, late)
					.isThrownBy(() -> RunOnceIntegrationTests.this.send(late));
				return;
			}
			Duration lease = (this.random.nextInt(25) == 0) ? Duration.ZERO : LEASE;
			send(where, place,
					new RunOnceScript.Request(owner, (latest != null) ? latest.seq() + 1 : 1,
							(latest != null) ? latest.seq() : 0, this.formers.get(owner), lease,
							IntStream.range(0, this.random.nextInt(5)).mapToObj((i) -> randomStep(owner)).toList()));
		}

		private void send(String where, int place, RunOnceScript.Request request) {
			RunOnceScript.Reply expected = this.memory.answer(request);
			RunOnceScript.Reply found = reply(request);
			assertThat(found.status()).as("%s: %s", where, request).isEqualTo(expected.status());
			assertThat(states(found.answers())).as("%s: %s", where, request).isEqualTo(states(expected.answers()));
			RunOnceScript.Request latest = this.last.get(request.owner());
			if (expected.status() == LaneStatus.BEHIND) {
				this.formers.put(name(place, ++this.generations[place]), request.owner());
				this.earlier.removeIf((each) -> each.owner().equals(request.owner()));
			}
			else {
				if (latest != null && latest != request) {
					this.earlier.add(latest);
				}
				this.last.put(request.owner(), request);
			}
			checkState(where);
		}

		private void goBack() {
			restore(this.stored);
			this.memory = this.before.copy();
			// A request that was on its way is not carried out afterwards.
			this.earlier.clear();
		}

		/**
		 * One of four owners. In place of one that has ended or crashed there is a new
		 * one: of what it left, Redis may have cleared up some.
		 */
		private String owner(int place) {
			String owner = name(place, this.generations[place]);
			if (this.memory.deadlines.containsKey(owner) && !this.memory.isAlive(owner)) {
				this.earlier.removeIf((each) -> each.owner().equals(owner));
				return name(place, ++this.generations[place]);
			}
			return owner;
		}

		private static String name(int place, int generation) {
			return "owner" + place + "/" + generation;
		}

		private RunOnceScript.Step randomStep(String owner) {
			String key = "k" + this.random.nextInt(6);
			String holder = this.memory.running.get("=" + key);
			boolean own = holder != null && holder.startsWith(owner + " ");
			String run = own ? holder.split(" ")[1] : "other";
			return switch (this.random.nextInt(own ? 6 : 12)) {
				case 0, 1 -> done(key, run);
				case 2, 3 -> free(key, run);
				case 4 -> new RunOnceScript.Step(RunOnceScript.Step.Action.LOOK, "=" + key, "", Duration.ZERO);
				case 5 -> new RunOnceScript.Step(RunOnceScript.Step.Action.FORGET, "=" + key, "", Duration.ZERO);
				default -> begin(key, "r" + this.names++);
			};
		}

		/**
		 * What Redis has is what the model has, but for what crashed owners left, which
		 * it may have cleared up.
		 */
		private void checkState(String where) {
			Map<String, String> expected = new TreeMap<>();
			this.memory.running.forEach((key, holder) -> {
				if (this.memory.isAlive(holder.split(" ")[0])) {
					expected.put(key, holder);
				}
			});
			Map<String, String> found = new TreeMap<>();
			running().forEach((field, value) -> {
				String[] parts = value.split("\\|");
				if (field.startsWith("=") && this.memory.isAlive(parts[0])) {
					found.put(field, parts[0] + " " + parts[1]);
				}
			});
			assertThat(found).as(where).isEqualTo(expected);
			Map<String, Double> done = scores("idempotent");
			done.values().removeIf((end) -> end <= RunOnceIntegrationTests.this.now);
			Map<String, Double> doneExpected = new TreeMap<>();
			this.memory.done.forEach((key, end) -> {
				if (end > RunOnceIntegrationTests.this.now) {
					doneExpected.put(key, (double) end);
				}
			});
			assertThat(done).as(where).isEqualTo(doneExpected);
		}

	}

	/**
	 * What Redis is meant to remember.
	 */
	private final class Memory {

		/**
		 * By key: the owner, a blank and the run.
		 */
		private final Map<String, String> running = new TreeMap<>();

		/**
		 * By key: when it is forgotten.
		 */
		private final Map<String, Long> done = new TreeMap<>();

		private final Map<String, Long> deadlines = new TreeMap<>();

		private final Map<String, Long> seqs = new HashMap<>();

		private final Map<String, List<RunOnceScript.Answer>> said = new HashMap<>();

		Memory copy() {
			Memory copy = new Memory();
			copy.running.putAll(this.running);
			copy.done.putAll(this.done);
			copy.deadlines.putAll(this.deadlines);
			copy.seqs.putAll(this.seqs);
			copy.said.putAll(this.said);
			return copy;
		}

		boolean isAlive(String owner) {
			return this.deadlines.getOrDefault(owner, 0L) > RunOnceIntegrationTests.this.now;
		}

		RunOnceScript.Reply answer(RunOnceScript.Request request) {
			String owner = request.owner();
			long known = this.seqs.getOrDefault(owner, 0L);
			if (known < request.answered()) {
				return new RunOnceScript.Reply(LaneStatus.BEHIND, List.of());
			}
			this.deadlines.put(owner,
					request.lease().isZero() ? 0 : RunOnceIntegrationTests.this.now + request.lease().toMillis());
			if (request.former() != null) {
				this.deadlines.replace(request.former(), 0L);
			}
			if (request.seq() > known) {
				this.seqs.put(owner, request.seq());
				this.said.put(owner,
						request.steps().stream().map((step) -> RunOnceScript.Answer.of(apply(owner, step))).toList());
			}
			return new RunOnceScript.Reply(LaneStatus.OK, this.said.get(owner));
		}

		private RunOnceScript.Answer.State apply(String owner, RunOnceScript.Step step) {
			long now = RunOnceIntegrationTests.this.now;
			String holder = this.running.get(step.key());
			switch (step.action()) {
				case BEGIN, LOOK -> {
					if (this.done.getOrDefault(step.key(), 0L) > now) {
						return RunOnceScript.Answer.State.DONE;
					}
					if (holder != null && isAlive(holder.split(" ")[0])) {
						return RunOnceScript.Answer.State.RUNNING;
					}
					if (step.action() == RunOnceScript.Step.Action.BEGIN) {
						this.running.put(step.key(), owner + " " + step.run());
						return RunOnceScript.Answer.State.MINE;
					}
				}
				case FORGET -> this.done.remove(step.key());
				default -> {
					this.running.remove(step.key(), owner + " " + step.run());
					if (step.action() == RunOnceScript.Step.Action.DONE) {
						this.done.merge(step.key(), now + step.window().toMillis(), Math::max);
					}
				}
			}
			return RunOnceScript.Answer.State.OK;
		}

	}

}
