package io.redelay.queue.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import io.redelay.embedded.redis.RedisErrorException;
import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.UnknownQueueException;
import io.redelay.queue.event.RedisRolledBackEvent;
import io.redelay.queue.recurring.OverlappingRuns;
import io.redelay.queue.recurring.RecurringDeclaration;
import io.redelay.queue.recurring.RecurringInfo;
import io.redelay.queue.recurring.RecurringMessages;
import io.redelay.queue.recurring.RecurringTick;
import io.redelay.test.TestRedis;
import io.redelay.test.redis.RedisCluster;
import io.redelay.test.redis.SlotMove;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.redisson.client.codec.StringCodec;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A cluster that changes under the hands of those who send and listen: slots move, and
 * replicas become masters.
 * <p>
 * With the system property {@code redelay.test.rounds}, so many changes that
 * {@code redelay.test.seed} chooses follow one another.
 */
@Tag("full")
class ClusterIntegrationTests extends FaultTests {

	/**
	 * Long enough that no node of a busy machine is taken for dead.
	 */
	private static final Duration NODE_TIMEOUT = Duration.ofSeconds(20);

	/**
	 * Where one is to be.
	 */
	private static final Duration SHORT_NODE_TIMEOUT = Duration.ofSeconds(2);

	/**
	 * What a slow machine may need to elect a master, to hear of it and to go on, in
	 * which no instance helps.
	 */
	private static final Duration MARGIN = Duration.ofMinutes(2);

	private static RedisCluster cluster;

	@BeforeAll
	static void startCluster() {
		// Each replica stays with its master, and takes its place however long it has
		// heard
		// nothing.
		cluster = RedisCluster.builder()
			.nodeTimeout(NODE_TIMEOUT)
			.config("cluster-migration-barrier 9", "cluster-replica-validity-factor 0")
			.start();
	}

	@AfterAll
	static void closeCluster() {
		cluster.close();
	}

	@BeforeEach
	void awaitCluster() {
		Awaitility.await()
			.until(() -> cluster.nodes().stream().allMatch(RedisServer::isRunning) && cluster.isOk()
					&& cluster.masters().stream().allMatch(ClusterIntegrationTests::hasReplica));
		setNodeTimeout(NODE_TIMEOUT);
	}

	@Test
	void aSlotMovesWhileMessagesAreSentAndHandled() throws Exception {
		Load load = new Load(this.queue, instance(this.queue), instance(this.queue)).start();
		load.awaitMore(100);
		RedisServer home = master();
		RedisServer other = cluster.masters().stream().filter((each) -> each != home).findFirst().orElseThrow();
		for (RedisServer target : List.of(other, home)) {
			move(messages(this.queue), target);
			load.awaitResumption(MARGIN);
			load.awaitMore(100);
		}
		assertThatNothingHappened(load);
	}

	@Test
	void entriesOfInletsOnAllNodesAreTakenOver() {
		List<String> queues = IntStream.range(0, 6).mapToObj((i) -> this.queue + "-" + i).toList();
		ConfigurableApplicationContext application = instance(this.queue,
				queues.stream()
					.map((queue) -> "redelay.queue.queues." + queue + ".inlet.enabled=true")
					.toArray(String[]::new));
		for (String queue : queues) {
			redisson(application).<String>getList("redelay:inlet:{" + queue + "}", StringCodec.INSTANCE)
				.addAll(List.of("{\"payload\": 1}", "wrong"));
		}
		QueueAdmin admin = application.getBean(QueueAdmin.class);
		for (String queue : queues) {
			Awaitility.await()
				.ignoreExceptionsInstanceOf(UnknownQueueException.class)
				.until(() -> admin.queues().info(queue).ready() == 1 && admin.queues().info(queue).dead() == 1
						&& admin.queues().info(queue).inlet() == 0);
		}
	}

	@Test
	void anInstanceStartsWhileTheListOfQueuesMoves() throws Exception {
		RedisServer home = cluster.masterOf("redelay:queues");
		RedisServer other = cluster.masters().stream().filter((each) -> each != home).findFirst().orElseThrow();
		// There is a list.
		instance(TestRedis.queue()).close();
		SlotMove there = cluster.beginMove("redelay:queues", other);
		there.moveKey();
		Load load = new Load(this.queue, instance(this.queue)).start();
		load.awaitMore(100);
		there.finish();
		cluster.beginMove("redelay:queues", home).finish();
		load.awaitMore(100);
		assertThatNothingHappened(load);
		assertThat(load.knownQueues()).contains(this.queue);
	}

	@Test
	void aReplicaIsMadeTheMaster() throws Exception {
		Load load = new Load(this.queue, instance(this.queue), instance(this.queue)).start();
		load.awaitMore(100);
		failOver();
		load.awaitResumption(MARGIN);
		load.awaitMore(100);
		assertThatNothingHappened(load);
	}

	@Test
	void recurringMessagesOfAllMastersGoOnWhenOneOfThemIsReplaced() {
		ConfigurableApplicationContext application = instance(Ticking.class, this.queue, new String[0]);
		RecurringMessages recurring = application.getBean(RecurringMessages.class);
		List<RecurringTick> handled = application.getBean(Ticking.class).handled;
		List<String> queues = List.of(this.queue, this.queue + "-1", this.queue + "-2");
		queues.forEach((each) -> recurring
			.declare(RecurringDeclaration.every(each, each, Duration.ofMillis(300)).overlap(OverlappingRuns.QUEUE)));
		assertThat(recurring.list()).extracting(RecurringInfo::queue).containsExactlyInAnyOrderElementsOf(queues);
		Awaitility.await().until(() -> queues.stream().allMatch((each) -> ticksOf(handled, each) >= 2));
		failOver();
		List<Long> before = queues.stream().map((each) -> ticksOf(handled, each)).toList();
		Awaitility.await()
			.atMost(MARGIN)
			.until(() -> IntStream.range(0, queues.size())
				.allMatch((i) -> ticksOf(handled, queues.get(i)) >= before.get(i) + 2));
		queues.forEach((each) -> assertThat(recurring.remove(each, each)).isTrue());
		assertThat(handled).doesNotHaveDuplicates();
	}

	private static long ticksOf(List<RecurringTick> handled, String name) {
		return handled.stream().filter((tick) -> tick.name().equals(name)).count();
	}

	@Test
	void aMasterIsKilledAndItsReplicaHasNotTheLastSends() throws Exception {
		String forgetful = queueBeside(this.queue);
		Load load = new Load(this.queue, instance(this.queue), instance(this.queue)).start();
		Load without = new Load(forgetful, instance(forgetful, "redelay.queue.replay.duration=0s")).start();
		load.awaitMore(100);
		without.awaitMore(100);
		RedisServer master = master();
		RedisServer replica = cutOff(master);
		try {
			load.awaitMore(100);
			without.awaitMore(100);
			master.kill();
		}
		finally {
			replica.resume();
		}
		setNodeTimeout(SHORT_NODE_TIMEOUT);
		load.awaitResumption(MARGIN);
		without.awaitResumption(MARGIN);
		load.awaitMore(100);
		setNodeTimeout(NODE_TIMEOUT);
		master.restart();
		load.stop();
		without.stop();
		load.assertNothingIsMissing();
		load.assertNothingWasEarly();
		load.assertOrderWasKept();
		assertThat(load.events()).extracting(RedisRolledBackEvent::lane).contains("sender");
		without.assertNothingWasEarly();
		assertThat(without.missing()).as("sends that returned and are lost").isNotEmpty();
		assertThat(without.events().stream().mapToLong(RedisRolledBackEvent::missing).sum())
			.as("requests reported as lost")
			.isPositive();
		Awaitility.await().until(cluster::isOk);
	}

	@Test
	@EnabledIfSystemProperty(named = "redelay.test.rounds", matches = "\\d+",
			disabledReason = "for as long as you like: -Dredelay.test.rounds=100")
	void oneChangeAfterTheOther() throws Exception {
		long seed = Long.getLong("redelay.test.seed", System.nanoTime());
		System.out.printf("Seed %d: repeat with -Dredelay.test.seed=%d%n", seed, seed);
		Random random = new Random(seed);
		Load load = new Load(this.queue, instance(this.queue), instance(this.queue)).start();
		for (int round = 1; round <= Integer.getInteger("redelay.test.rounds"); round++) {
			load.awaitMore(100);
			String what = changeAnything(random);
			Duration pause = load.awaitResumption(MARGIN);
			System.out.printf("Round %d: %s, resumed after %d ms, %s%n", round, what, pause.toMillis(), load);
			awaitCluster();
		}
		load.stop();
		System.out.printf("At the end: %s, missing %s, %s%n", load, load.missing(), load.events());
		// A send may fail, and say so, when a master dies while another death is mended.
		load.assertNothingIsMissing();
		load.assertNothingWasEarly();
		load.assertOrderWasKept();
	}

	private String changeAnything(Random random) {
		RedisServer master = master();
		switch (random.nextInt(4)) {
			case 0 -> {
				List<RedisServer> others = cluster.masters().stream().filter((each) -> each != master).toList();
				move(messages(this.queue), others.get(random.nextInt(others.size())));
				return "slot moved";
			}
			case 1 -> {
				failOver();
				return "replica made the master";
			}
			case 2 -> {
				master.kill();
				Awaitility.await().until(() -> master() != master);
				master.restart();
				return "master killed";
			}
			default -> {
				RedisServer replica = cutOff(master);
				Awaitility.await().pollDelay(Duration.ofMillis(random.nextInt(1_000))).until(() -> true);
				master.kill();
				replica.resume();
				Awaitility.await().until(() -> master() != master);
				master.restart();
				return "master killed whose replica lagged";
			}
		}
	}

	private static void setNodeTimeout(Duration timeout) {
		cluster.nodes()
			.stream()
			.filter(RedisServer::isRunning)
			.forEach((node) -> node.command("CONFIG", "SET", "cluster-node-timeout", "" + timeout.toMillis()));
	}

	private static boolean hasReplica(RedisServer master) {
		return String.valueOf(master.command("INFO", "replication")).contains("connected_slaves:1\r\n");
	}

	/**
	 * With all keys at the source, then at both, then at the target.
	 */
	private static void move(String key, RedisServer target) {
		SlotMove move = cluster.beginMove(key, target);
		Awaitility.await().pollDelay(Duration.ofMillis(100)).until(() -> true);
		move.moveKey();
		move.moveKey();
		Awaitility.await().pollDelay(Duration.ofMillis(300)).until(() -> true);
		move.finish();
	}

	private void failOver() {
		RedisServer replica = cluster.replicaOf(master());
		// Under load it may run out of time, and is to be asked for again.
		Awaitility.await().pollInterval(Duration.ofSeconds(1)).pollDelay(Duration.ZERO).until(() -> {
			if (master() != replica) {
				try {
					replica.command("CLUSTER", "FAILOVER");
				}
				catch (RedisErrorException ex) {
					// It became the master after the look.
					assertThat(ex).hasMessageContaining("to a replica");
				}
			}
			return master() == replica;
		});
	}

	/**
	 * Has a replica hear nothing of its master from here on.
	 */
	private static RedisServer cutOff(RedisServer master) {
		RedisServer replica = cluster.replicaOf(master);
		replica.pause();
		master.command("CLIENT", "KILL", "TYPE", "replica");
		return replica;
	}

	/**
	 * In what loses nothing, an instance notices nothing but a pause.
	 */
	private static void assertThatNothingHappened(Load load) throws InterruptedException {
		load.stop();
		load.assertNothingIsMissing();
		load.assertNoSendFailed();
		load.assertNothingWasHandledTwice();
		load.assertNothingWasEarly();
		load.assertOrderWasKept();
		assertThat(load.events()).isEmpty();
	}

	private ConfigurableApplicationContext instance(String queue, String... properties) {
		return instance(Load.Listener.class, queue, properties);
	}

	private ConfigurableApplicationContext instance(Class<?> listener, String queue, String[] properties) {
		List<String> nodes = cluster.nodes().stream().map((each) -> each.host() + ":" + each.port()).toList();
		List<String> all = new ArrayList<>(List.of(REPLAY));
		all.addAll(List.of(properties));
		all.addAll(List.of("spring.data.redis.cluster.nodes=" + String.join(",", nodes), "spring.data.redis.timeout=1s",
				"redelay.queue.resend-timeout=5m", "test.queue=" + queue));
		return instance(listener, all.toArray(String[]::new));
	}

	private RedisServer master() {
		return cluster.masterOf(messages(this.queue));
	}

	private static String messages(String queue) {
		return "redelay:{" + queue + "}:messages";
	}

	/**
	 * Another queue of the same master.
	 */
	private static String queueBeside(String queue) {
		RedisServer master = cluster.masterOf(messages(queue));
		return IntStream.range(0, 1_000)
			.mapToObj((i) -> queue + "-" + i)
			.filter((name) -> cluster.masterOf(messages(name)) == master)
			.findFirst()
			.orElseThrow();
	}

	/**
	 * Remembers the ticks of three queues.
	 */
	static class Ticking {

		final List<RecurringTick> handled = new CopyOnWriteArrayList<>();

		@QueueListener(queues = { "${test.queue}", "${test.queue}-1", "${test.queue}-2" })
		void handle(RecurringTick tick) {
			this.handled.add(tick);
		}

	}

}
