package io.redelay.queue.store.redis;

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

import io.redelay.queue.store.LaneStatus;
import io.redelay.queue.store.RunAnswer;
import io.redelay.queue.store.RunReply;
import io.redelay.queue.store.RunRequest;
import io.redelay.queue.store.RunStep;
import io.redelay.queue.store.StoreException;
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
		RunAnswer running = run("b", begin("k", "1")).get(0);
		assertThat(running)
			.isEqualTo(new RunAnswer(RunAnswer.State.RUNNING, Duration.ofMillis(500), Duration.ofMillis(400)));
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
		RunRequest first = new RunRequest("a", 1, 0, null, LEASE, List.of(begin("k", "1")));
		assertThat(states(send(first))).containsExactly("MINE");
		assertThat(states(send(first))).containsExactly("MINE");
		RunRequest refused = new RunRequest("b", 1, 0, null, LEASE, List.of(begin("k", "1")));
		assertThat(states(send(refused))).containsExactly("RUNNING");
		send(new RunRequest("a", 2, 1, null, LEASE, List.of(free("k", "1"))));
		assertThat(states(send(refused))).as("what was answered stays answered").containsExactly("RUNNING");
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> send(first));
		assertThat(words("c", begin("k", "1"))).as("the late one took nothing").containsExactly("MINE");
	}

	@Test
	void anOwnerOfWhichAnAnsweredRequestIsForgottenIsToldAndAnotherOneTakesItsPlace() {
		run("a", begin("ended", "1"), begin("free", "2"), begin("taken", "3"));
		Map<String, String> before = running();
		run("a", free("ended", "1"), done("free", "2"), begin("goes-on", "4"));
		redis.client().getBucket(key("idempotent:running")).delete();
		redis.client().getMap(key("idempotent:running"), StringCodec.INSTANCE).putAll(before);
		RunRequest behind = new RunRequest("a", 3, 2, null, LEASE, List.of(begin("ended", "5")));
		assertThat(reply(behind)).isEqualTo(new RunReply(LaneStatus.BEHIND, List.of()));
		assertThat(running()).as("nothing was done").isEqualTo(before);
		assertThat(words("b", begin("ended", "1"))).as("as Redis believes").containsExactly("RUNNING");
		assertThat(states(
				send(new RunRequest("a2", 1, 0, "a", LEASE, List.of(begin("goes-on", "4"), begin("taken", "3"))))))
			.containsExactly("MINE", "MINE");
		assertThat(words("b", begin("ended", "2"), begin("goes-on", "3"), begin("taken", "4"))).containsExactly("MINE",
				"RUNNING", "RUNNING");
	}

	@Test
	void anUnansweredRequestThatNeverCameIsNotTakenForAForgottenOne() {
		run("a", begin("k", "1"));
		assertThat(states(send(new RunRequest("a", 3, 1, null, LEASE, List.of(begin("l", "2"))))))
			.containsExactly("MINE");
	}

	@Test
	void whatCrashedOwnersLeftIsClearedUpInBoundedSteps() {
		for (int owner = 0; owner < 10; owner++) {
			String name = "dead" + owner;
			int first = owner * 200;
			run(name, IntStream.range(first, first + 200).mapToObj((i) -> begin("k" + i, "1")).toArray(RunStep[]::new));
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
			run("a", IntStream.range(i, i + 200).mapToObj((n) -> done("k" + n, "1")).toArray(RunStep[]::new));
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

	private List<RunAnswer> run(String owner, RunStep... steps) {
		return request(owner, LEASE, steps);
	}

	private List<RunAnswer> request(String owner, Duration lease, RunStep... steps) {
		return send(new RunRequest(owner, this.seqs.merge(owner, 1L, Long::sum), 0, null, lease, List.of(steps)));
	}

	private List<RunAnswer> send(RunRequest request) {
		RunReply reply = reply(request);
		assertThat(reply.status()).isEqualTo(LaneStatus.OK);
		return reply.answers();
	}

	private RunReply reply(RunRequest request) {
		return StoreWorkbench.get(this.workbench.store.runs(this.queue, request));
	}

	private List<String> words(String owner, RunStep... steps) {
		return states(run(owner, steps));
	}

	private static List<String> states(List<RunAnswer> answers) {
		return answers.stream().map((answer) -> answer.state().name()).toList();
	}

	private static RunStep begin(String key, String run) {
		return new RunStep(RunStep.Action.BEGIN, "=" + key, run, Duration.ZERO);
	}

	private static RunStep done(String key, String run) {
		return new RunStep(RunStep.Action.DONE, "=" + key, run, WINDOW);
	}

	private static RunStep free(String key, String run) {
		return new RunStep(RunStep.Action.FREE, "=" + key, run, Duration.ZERO);
	}

	private String key(String name) {
		return "redelay:{" + this.queue + "}:" + name;
	}

	private Map<String, String> running() {
		return redis.client().<String, String>getMap(key("idempotent:running"), StringCodec.INSTANCE).readAllMap();
	}

	/**
	 * What the script does, without Redis.
	 */
	private final class Model {

		private final Random random;

		/**
		 * By key: the owner, a blank and the run.
		 */
		private final Map<String, String> running = new TreeMap<>();

		/**
		 * By key: when it is forgotten.
		 */
		private final Map<String, Long> done = new TreeMap<>();

		private final Map<String, Long> deadlines = new TreeMap<>();

		private final Map<String, RunRequest> last = new HashMap<>();

		private final Map<String, List<String>> said = new HashMap<>();

		private final List<RunRequest> earlier = new ArrayList<>();

		private final int[] generations = new int[4];

		private int names;

		Model(Random random) {
			this.random = random;
		}

		void step(String where) {
			if (this.random.nextInt(10) == 0) {
				pass(Duration.ofMillis(this.random.nextInt(700)));
			}
			String owner = owner();
			RunRequest before = this.last.get(owner);
			if (before != null && this.random.nextInt(8) == 0) {
				// Its reply was lost, and it comes again.
				renew(before);
				assertThat(states(send(before))).as("%s, again: %s", where, before).isEqualTo(this.said.get(owner));
				return;
			}
			if (!this.earlier.isEmpty() && this.random.nextInt(12) == 0) {
				RunRequest late = this.earlier.get(this.random.nextInt(this.earlier.size()));
				if (!isAlive(late.owner())) {
					return;
				}
				assertThatExceptionOfType(StoreException.class).as("%s, late: %s", where, late)
					.isThrownBy(() -> send(late));
				return;
			}
			Duration lease = (this.random.nextInt(25) == 0) ? Duration.ZERO : LEASE;
			RunRequest request = new RunRequest(owner, RunOnceIntegrationTests.this.seqs.merge(owner, 1L, Long::sum), 0,
					null, lease,
					IntStream.range(0, this.random.nextInt(5)).mapToObj((i) -> randomStep(owner)).toList());
			renew(request);
			List<String> expected = request.steps().stream().map((step) -> apply(owner, step)).toList();
			assertThat(states(send(request))).as("%s: %s", where, request).isEqualTo(expected);
			if (before != null) {
				this.earlier.add(before);
			}
			this.last.put(owner, request);
			this.said.put(owner, expected);
			checkState(where);
		}

		/**
		 * One of four owners. In place of one that has ended or crashed there is a new
		 * one: of what it left, Redis may have cleared up some.
		 */
		private String owner() {
			int place = this.random.nextInt(4);
			String owner = "owner" + place + "/" + this.generations[place];
			if (this.deadlines.containsKey(owner) && !isAlive(owner)) {
				this.earlier.removeIf((each) -> each.owner().equals(owner));
				return "owner" + place + "/" + ++this.generations[place];
			}
			return owner;
		}

		private RunStep randomStep(String owner) {
			String key = "k" + this.random.nextInt(6);
			String holder = this.running.get("=" + key);
			boolean own = holder != null && holder.startsWith(owner + " ");
			String run = own ? holder.split(" ")[1] : "other";
			return switch (this.random.nextInt(own ? 4 : 8)) {
				case 0, 1 -> done(key, run);
				case 2, 3 -> free(key, run);
				default -> begin(key, "r" + this.names++);
			};
		}

		private void renew(RunRequest request) {
			this.deadlines.put(request.owner(),
					request.lease().isZero() ? 0 : RunOnceIntegrationTests.this.now + request.lease().toMillis());
		}

		private boolean isAlive(String owner) {
			return this.deadlines.getOrDefault(owner, 0L) > RunOnceIntegrationTests.this.now;
		}

		private String apply(String owner, RunStep step) {
			long now = RunOnceIntegrationTests.this.now;
			String holder = this.running.get(step.key());
			if (step.action() == RunStep.Action.BEGIN) {
				if (this.done.getOrDefault(step.key(), 0L) > now) {
					return "DONE";
				}
				if (holder != null && isAlive(holder.split(" ")[0])) {
					return "RUNNING";
				}
				this.running.put(step.key(), owner + " " + step.run());
				return "MINE";
			}
			this.running.remove(step.key(), owner + " " + step.run());
			if (step.action() == RunStep.Action.DONE) {
				this.done.merge(step.key(), now + step.window().toMillis(), Math::max);
			}
			return "OK";
		}

		/**
		 * What Redis has is what the model has, but for what crashed owners left, which
		 * it may have cleared up.
		 */
		private void checkState(String where) {
			Map<String, String> expected = new TreeMap<>();
			this.running.forEach((key, holder) -> {
				if (isAlive(holder.split(" ")[0])) {
					expected.put(key, holder);
				}
			});
			Map<String, String> found = new TreeMap<>();
			running().forEach((field, value) -> {
				String[] parts = value.split("\\|");
				if (field.startsWith("=") && isAlive(parts[0])) {
					found.put(field, parts[0] + " " + parts[1]);
				}
			});
			assertThat(found).as(where).isEqualTo(expected);
		}

	}

}
