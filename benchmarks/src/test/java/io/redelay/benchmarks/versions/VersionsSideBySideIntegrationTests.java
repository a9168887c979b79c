package io.redelay.benchmarks.versions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.redelay.embedded.redis.RedisServer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests that this version and an earlier one work beside each other on one Redis. Each
 * has a class loader of its own.
 * <p>
 * The system property {@code redelay.test.earlier} names the earlier one: a commit, a tag
 * of a release, or a folder where one is compiled. Git must have it: after a shallow
 * clone, {@code git fetch --unshallow}.
 */
@Tag("full")
class VersionsSideBySideIntegrationTests {

	/**
	 * The last release. Until there is one, the last commit that spoke an earlier number
	 * of the wire.
	 */
	private static final String EARLIER = "118da089";

	private static RedisServer server;

	private static Path project;

	private static VersionClasses earlierClasses;

	private static VersionClasses presentClasses;

	private static UnaryOperator<String> earlier;

	private static UnaryOperator<String> present;

	private final String queue = "q" + UUID.randomUUID();

	@BeforeAll
	static void start() {
		project = VersionBuild.of(System.getProperty("redelay.test.earlier", EARLIER));
		server = RedisServer.start();
		earlierClasses = new VersionClasses(project);
		presentClasses = new VersionClasses(null);
		earlier = start(earlierClasses);
		present = start(presentClasses);
	}

	@AfterAll
	static void stop() {
		presentClasses.close();
		earlierClasses.close();
		server.close();
	}

	private static UnaryOperator<String> start(VersionClasses classes) {
		return classes.start(SideApplication.class, server.uri().toString());
	}

	private static UnaryOperator<String> one(boolean forth) {
		return forth ? earlier : present;
	}

	private static UnaryOperator<String> other(boolean forth) {
		return forth ? present : earlier;
	}

	@Test
	void theyAreTwoVersions() {
		assertThat(earlier.getClass()).isNotSameAs(present.getClass());
		assertThat(project.resolve("queue/target/classes/io/redelay/queue/script/claim.lua")).exists();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void oneSendsAndTheOtherClaims(boolean forth) {
		UnaryOperator<String> sender = one(forth);
		UnaryOperator<String> listener = other(forth);
		say(sender, "send-many", "m 50");
		say(sender, "send-later", "later 100");
		assertThat(say(sender, "send-rich", "rich")).isEqualTo("ADDED");
		assertThat(say(listener, "send-rich", "rich")).isEqualTo("DUPLICATE");
		assertThat(say(listener, "tagged", "tag")).isEqualTo("1");
		say(sender, "send-later", "never 100000");
		String id = say(sender, "send-later", "cancelled 100000");
		assertThat(say(listener, "cancel", id)).isEqualTo("true");
		say(listener, "listen", "3");
		await().untilAsserted(() -> assertThat(payloads(listener)).hasSize(52).contains("m0", "m49", "later", "rich"));
		assertThat(payloads(listener)).doesNotHaveDuplicates();
		say(listener, "leave");
		assertSound();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void oneRetriesWhatFailedInTheOtherAndKnowsItsTrace(boolean forth) {
		retry(one(forth), other(forth));
		assertSound();
	}

	/**
	 * Has a message fail in one, and the other one handle it.
	 */
	private void retry(UnaryOperator<String> one, UnaryOperator<String> other) {
		say(one, "listen", "3");
		say(other, "send", "fail");
		await().until(() -> !tries().isEmpty());
		say(one, "leave");
		String tries = tries();
		assertThat(tries).matches("1@00-\\p{XDigit}{32}-\\p{XDigit}{16}-01");
		other.apply("send " + this.queue + " other");
		say(other, "listen", "3");
		// The other one fails as well, once.
		await().untilAsserted(() -> assertThat(handled(other)).filteredOn((line) -> line.contains(" fail "))
			.singleElement()
			.asString()
			.endsWith(" fail 3 " + tries.substring(2)));
		await().untilAsserted(() -> assertThat(payloads(other)).containsExactlyInAnyOrder("fail", "other"));
		say(other, "leave");
	}

	private String tries() {
		Object values = server.command("HVALS", "redelay:{" + this.queue + "}:tries");
		return ((List<?>) values).isEmpty() ? "" : ((List<?>) values).get(0).toString();
	}

	/**
	 * Shows that the test above sees a claim that dies between its writes: one that reads
	 * the number of failures as it was read before there were traces.
	 */
	@Test
	void aClaimThatDoesNotKnowTheTraceOfARetryIsFound(@TempDir Path folder) throws IOException {
		Path includes = Files.createDirectories(folder.resolve("io/redelay/queue/script/includes"));
		Files.writeString(includes.resolve("counts.lua"), """
				local function counts(entry)
				  if not entry then
				    return 0, nil
				  end
				  local failures, crashes = string.match(entry, '^(%d+)/?(%d*)$')
				  return tonumber(failures), tonumber(crashes)
				end
				""");
		try (VersionClasses classes = new VersionClasses(project, folder)) {
			UnaryOperator<String> lastMonths = start(classes);
			say(present, "listen", "3");
			say(present, "send", "fail");
			await().until(() -> !tries().isEmpty());
			say(present, "leave");
			say(lastMonths, "listen", "3");
			await().untilAsserted(() -> assertThat(say(present, "check")).contains("STRANDED"));
			assertThat(handled(lastMonths)).isEmpty();
		}
	}

	/**
	 * On the other server, the earlier version was used until an hour ago.
	 */
	@Test
	void messagesArePackedOnceNoEarlierInstanceRunsAndThenNoneStarts() {
		try (RedisServer left = RedisServer.start();
				VersionClasses own = new VersionClasses(null);
				VersionClasses late = new VersionClasses(project)) {
			left.command("HSET", "redelay:wire", "1", "1 " + (System.currentTimeMillis() - 3_700_000) + " earlier");
			UnaryOperator<String> alone = own.start(SideApplication.class, left.uri().toString());
			for (UnaryOperator<String> each : List.of(alone, present)) {
				say(each, "listen", "3");
				say(each, "send-far", "50");
			}
			await().atMost(Duration.ofMinutes(3))
				.until(() -> left.command("EXISTS", "redelay:{" + this.queue + "}:far").equals(1L));
			assertThat(server.command("EXISTS", "redelay:{" + this.queue + "}:far")).as("beside the earlier version")
				.isEqualTo(0L);
			assertThat(say(alone, "check")).isEqualTo("sound");
			assertThatExceptionOfType(Exception.class)
				.isThrownBy(() -> late.start(SideApplication.class, left.uri().toString()))
				.satisfies((failure) -> assertThat(failure).hasStackTraceContaining(
						"They work with 2 and later, and this instance speaks 1. Update this instance"));
			say(present, "leave");
		}
		assertSound();
	}

	@Test
	void eachKnowsTheOtherAndWhatItDid() {
		say(earlier, "listen", "3");
		say(present, "listen", "3");
		await().untilAsserted(() -> assertThat(say(present, "instances")).isEqualTo("2"));
		await().untilAsserted(() -> assertThat(say(earlier, "instances")).isEqualTo("2"));
		say(earlier, "send-many", "e 10");
		say(present, "send-many", "p 10");
		for (UnaryOperator<String> version : List.of(earlier, present)) {
			await().untilAsserted(() -> assertThat(say(version, "history")).isEqualTo("20 20"));
		}
		// The earlier one reads all other fields as minutes.
		assertThat((List<?>) server.command("HKEYS", "redelay:{" + this.queue + "}:stats"))
			.allSatisfy((field) -> assertThat(field.toString()).matches("@.+|[0-5]?\\d"))
			.anySatisfy((field) -> assertThat(field.toString()).startsWith("@ "));
		say(earlier, "leave");
		say(present, "leave");
		assertSound();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void theyKeepTheOrderOfKeysBetweenThem(boolean forth) {
		say(one(forth), "listen", "3");
		say(other(forth), "listen", "3");
		for (int i = 0; i < 60; i++) {
			say((i % 2 == 0) ? earlier : present, "send-keyed", "k" + i % 3 + " k" + i % 3 + "-" + (100 + i));
		}
		await().untilAsserted(() -> assertThat(all()).hasSize(60));
		for (int key = 0; key < 3; key++) {
			String prefix = "k" + key + "-";
			assertThat(all()).filteredOn((payload) -> payload.startsWith(prefix)).hasSize(20).isSorted();
		}
		say(one(forth), "leave");
		say(other(forth), "leave");
		assertSound();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void oneRedrivesWhatDiedInTheOther(boolean forth) {
		say(one(forth), "listen", "1");
		say(other(forth), "send", "fail");
		say(other(forth), "send", "die");
		await().untilAsserted(() -> assertThat(say(other(forth), "dead")).isEqualTo("die fail"));
		say(one(forth), "leave");
		assertSound();
		say(other(forth), "redrive");
		say(one(forth), "listen", "1");
		await().untilAsserted(() -> assertThat(payloads(one(forth))).containsExactly("fail"));
		await().untilAsserted(() -> assertThat(say(one(forth), "dead")).isEqualTo("die"));
		say(one(forth), "leave");
		assertSound();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aLockOfOneIsBusyForTheOther(boolean forth) {
		assertThat(say(one(forth), "lock")).isEqualTo("held");
		assertThat(say(other(forth), "lock")).isEqualTo("busy");
		say(one(forth), "unlock");
		await().untilAsserted(() -> assertThat(say(other(forth), "lock")).isEqualTo("held"));
		assertThat(say(one(forth), "lock")).isEqualTo("busy");
		say(other(forth), "unlock");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void theTicksOfOneGoOnInTheOther(boolean forth) {
		say(one(forth), "listen", "3");
		say(other(forth), "listen", "3");
		say(one(forth), "recur", "tick");
		await().until(() -> all().size() >= 2);
		say(one(forth), "leave");
		int before = payloads(other(forth)).size();
		await().until(() -> payloads(other(forth)).size() >= before + 2);
		say(other(forth), "recur", "tick");
		say(one(forth), "listen", "3");
		say(other(forth), "leave");
		int since = payloads(one(forth)).size();
		await().until(() -> payloads(one(forth)).size() >= since + 2);
		say(one(forth), "leave");
		assertSound();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void groupsOfBothGetWhatEitherPublishes(boolean forth) {
		say(one(forth), "join", "one");
		say(other(forth), "join", "other");
		for (int i = 0; i < 10; i++) {
			say((i % 2 == 0) ? earlier : present, "publish", "p" + i);
		}
		for (UnaryOperator<String> group : List.of(earlier, present)) {
			await().untilAsserted(() -> assertThat(payloads(group))
				.containsExactlyInAnyOrderElementsOf(IntStream.range(0, 10).mapToObj((i) -> "p" + i).toList()));
			say(group, "leave");
		}
		assertSound(this.queue + "@one");
		assertSound(this.queue + "@other");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void oneHandlesTheBundleOfTheOther(boolean forth) {
		String parts = "parts-" + this.queue;
		say(one(forth), "listen", "3");
		other(forth).apply("bundle " + parts + " " + this.queue + " 10");
		one(forth).apply("listen " + parts + " 3");
		other(forth).apply("listen " + parts + " 3");
		await().untilAsserted(() -> assertThat(payloads(one(forth))).singleElement()
			.asString()
			.contains("\"total\":10", "\"acknowledged\":10"));
		say(one(forth), "leave");
		one(forth).apply("leave " + parts);
		other(forth).apply("leave " + parts);
		assertSound();
		assertSound(parts);
	}

	@Test
	void aDeploymentRollsForwardAndBackAndLosesNothing() {
		List<String> sent = new ArrayList<>();
		List<String> handled = new ArrayList<>();
		try (VersionClasses old = new VersionClasses(project)) {
			UnaryOperator<String> first = begin(old, sent);
			List<UnaryOperator<String>> alive = new ArrayList<>(List.of(first));
			try (VersionClasses rolled = new VersionClasses(null)) {
				alive.add(begin(rolled, sent));
				sendSome(alive, sent);
				say(first, "leave");
				handled.addAll(handled(first));
				alive.remove(first);
				sendSome(alive, sent);
				try (VersionClasses back = new VersionClasses(project)) {
					alive.add(begin(back, sent));
					sendSome(alive, sent);
					say(alive.get(0), "leave");
					handled.addAll(handled(alive.remove(0)));
					sendSome(alive, sent);
					UnaryOperator<String> last = alive.get(0);
					await().untilAsserted(
							() -> assertThat(payloads(Stream.concat(handled.stream(), handled(last).stream())))
								.containsExactlyInAnyOrderElementsOf(sent));
					List<String> order = payloads(Stream.concat(handled.stream(), handled(last).stream()));
					for (int key = 0; key < 3; key++) {
						String prefix = "k" + key + "-";
						assertThat(order).filteredOn((payload) -> payload.startsWith(prefix)).isSorted();
					}
					say(last, "leave");
				}
			}
		}
		assertSound();
	}

	private UnaryOperator<String> begin(VersionClasses classes, List<String> sent) {
		UnaryOperator<String> started = start(classes);
		say(started, "listen", "3");
		sendSome(List.of(started), sent);
		return started;
	}

	private void sendSome(List<UnaryOperator<String>> senders, List<String> sent) {
		for (int i = 0; i < 30; i++) {
			UnaryOperator<String> sender = senders.get(i % senders.size());
			String payload = "k" + i % 3 + "-" + (1000 + sent.size());
			say(sender, "send-keyed", "k" + i % 3 + " " + payload);
			sent.add(payload);
		}
	}

	private String say(UnaryOperator<String> application, String verb) {
		return application.apply(verb + " " + this.queue);
	}

	private String say(UnaryOperator<String> application, String verb, String rest) {
		return application.apply(verb + " " + this.queue + " " + rest);
	}

	private List<String> handled(UnaryOperator<String> application) {
		return say(application, "handled").lines().toList();
	}

	private List<String> payloads(UnaryOperator<String> application) {
		return payloads(handled(application).stream());
	}

	/**
	 * What both handled, in the order in which they did.
	 */
	private List<String> all() {
		return payloads(Stream.concat(handled(earlier).stream(), handled(present).stream()));
	}

	private static List<String> payloads(Stream<String> handled) {
		return handled.map((line) -> line.split(" "))
			.sorted(Comparator.comparingLong((String[] words) -> Long.parseLong(words[0])))
			.map((words) -> words[1])
			.toList();
	}

	private void assertSound() {
		assertSound(this.queue);
	}

	private static void assertSound(String queue) {
		await().untilAsserted(() -> {
			assertThat(earlier.apply("check " + queue)).isEqualTo("sound");
			assertThat(present.apply("check " + queue)).isEqualTo("sound");
		});
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofMinutes(1));
	}

}
