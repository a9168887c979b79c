package io.redelay.management;

import java.util.ArrayList;
import java.util.List;

import io.redelay.test.browser.Browser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The words and figures of the dashboard for what the server says, in a browser, with
 * answers of the tests.
 */
class DashboardWordsIntegrationTests {

	private static final String LISTENER = """
			{"id": "%s", "state": "%s", "concurrency": 4, "busy": 0, "queues": [{"queue": "receipts"%s}]}""";

	@RegisterExtension
	static final Browser browser = new Browser();

	@RegisterExtension
	final PageServer server = new PageServer();

	/**
	 * By the rules by which the server writes those beside them: both are tested against
	 * {@code page/figures.csv}.
	 */
	@Test
	@SuppressWarnings("unchecked")
	void figuresAreWrittenByTheRulesOfTheServer() {
		List<List<String>> cases = new ArrayList<>();
		PageServer.resource("figures.csv").lines().forEach((line) -> {
			String[] parts = line.split(",", 3);
			cases.add(List.of(parts[0], parts[1], parts[2].replace("\"", "")));
		});
		browser.open(this.server.url("/"));
		browser.see("tbody tr");
		List<String> written = (List<String>) browser.driver()
			.executeAsyncScript(
					"""
							const [cases, done] = arguments;
							import('./redelay/parts.js').then(({ count, duration, number, percent, rate }) => done(cases.map(([kind, value]) =>
							  ({ time: duration, rate, number, percent })[kind]?.(Number(value)) ?? count(Number(value), kind))),
							  failure => done([String(failure)]));
							""",
					cases);
		assertThat(written).containsExactlyElementsOf(cases.stream().map((each) -> each.get(2)).toList());
	}

	@Test
	void aLockIsHeldForAsLongAsItsInstanceReported() throws Exception {
		String answer = """
				{"time": "2026-01-01T10:%s", "total": 1, "page": 0, "size": 50, "hasNext": false, "locks": [{"name": "stock/7",
				 "type": "RE_ENTRANT_LOCK", "held": 1, "awaited": 0, "waiters": [], "holders": [{"instance": "a", "name": "shop-1",
				 "thread": "worker", "since": "2026-01-01T09:59:48Z", "reportedAt": "2026-01-01T10:00:00Z"}]}]}""";
		try (AutoCloseable fast = browser.fastTimers()) {
			this.server.answer("locks", answer.formatted("00:02Z"));
			browser.open(this.server.url("/locks"));
			assertThat(browser.read("tbody td:nth-child(3)")).contains("shop-1 worker")
				.contains("for 12 s")
				.doesNotContain("reported");
			assertThat(browser.read("tbody th")).contains("re-entrant lock");
			this.server.answer("locks", answer.formatted("00:42Z"));
			browser.see("tbody td:nth-child(3)", "for 12 s, reported 42 s ago");
		}
	}

	@Test
	void listenersOfAQueueThatIsPausedOrGatedTakeNoMessages() {
		String instance = """
				{"id": "%s", "name": "%1$s", "startedAt": "2026-01-01T09:00:00Z", "announcedAt": "2026-01-01T%s", "listeners": [%s]}""";
		this.server.answer("queues/-/instances",
				"""
						{"time": "2026-01-01T10:00:10Z", "total": 2, "page": 0, "size": 50, "hasNext": false, "instances": [%s, %s]}"""
					.formatted(
							instance.formatted("alive", "10:00:08Z",
									String.join(",", LISTENER.formatted("takes", "RUNNING", ""),
											LISTENER.formatted("paused", "PAUSED", ""),
											LISTENER.formatted("queuePaused", "RUNNING", ", \"paused\": true"),
											LISTENER.formatted("gated", "RUNNING", ", \"gated\": true"),
											LISTENER.formatted("queueGated", "RUNNING",
													", \"gatedUntil\": \"2026-01-01T10:05:00Z\""))),
							instance.formatted("silent", "10:00:00Z", LISTENER.formatted("takes", "RUNNING", ""))));
		browser.open(this.server.url("/instances"));
		browser.see("main h2", "silent");
		assertThat(browser.texts("tbody td:nth-child(3)")).containsExactly("Takes messages", "Paused",
				"Queue is paused", "Gate closed", "Gate closed", "Not heard of");
		assertThat(browser.texts(".head-line .badge")).containsExactly("Alive", "Silent for 10 s");
	}

	@Test
	void groupsOfATopicThatArePausedOrGatedAreNotConsumed() {
		String group = """
				{"name": "%s", "queue": "news.%1$s", "state": "%s", "ready": 1, "scheduled": 0, "dead": 0%s}""";
		this.server
			.answer("queues/-/topics/news",
					"{\"time\": \"2026-01-01T10:00:00Z\", \"groups\": ["
							+ String.join(",", group.formatted("a", "ACTIVE", ""), group.formatted("b", "WAITING", ""),
									group.formatted("c", "ACTIVE", ", \"paused\": true"),
									group.formatted("d", "ACTIVE", ", \"gatedUntil\": \"2026-01-01T10:05:00Z\""))
							+ "]}");
		browser.open(this.server.url("/topics/news"));
		browser.see("tbody tr");
		assertThat(browser.texts("tbody td:nth-child(2)")).containsExactly("Consumed", "No consumer", "Queue is paused",
				"Gate closed");
	}

	@Test
	void consumersOfAQueueThatIsPausedOrGatedTakeNoMessages() {
		String queue = PageServer.resource("queue.json");
		assertConsumer(queue, "Takes messages");
		assertConsumer(queue.replace("\"paused\": false", "\"paused\": true"), "Queue is paused");
		assertConsumer(queue.replace("\"gatedUntil\": null", "\"gatedUntil\": \"2036-01-01T10:00:00Z\""),
				"Gate closed");
		assertConsumer(queue.replace("\"state\": \"RUNNING\"", "\"state\": \"RUNNING\", \"gated\": true"),
				"Gate closed");
		assertConsumer(queue.replace("\"state\": \"RUNNING\",", ""), "Not heard of");
	}

	private void assertConsumer(String answer, String state) {
		this.server.answer("queues/receipts", answer);
		browser.open(this.server.url("/queues/receipts"));
		browser.see("main h2", "Consumers");
		await().untilAsserted(() -> assertThat(
				browser.texts("section[aria-labelledby=s-consumers] tbody tr:first-child td:nth-child(2)"))
			.containsExactly(state));
	}

}
