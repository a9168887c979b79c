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

	/**
	 * Each of these is a text of the page, or looks like one.
	 */
	@Test
	void whatComesFromOutsideIsNotTranslated() {
		String message = """
				{"queue": "receipts", "id": "Cancel", "uid": "u1", "state": "READY", "dueAt": "2026-01-01T10:00:00Z",
				 "sentAt": "2026-01-01T10:00:00Z", "payloadType": "Failed", "tags": ["Dead letters"], "orderingKey": "Key",
				 "fairnessKey": "3 messages", "priority": 4, "failures": 1, "crashes": 0, "bytes": 12,
				 "lastFailure": {"exception": "Stopped", "message": "Nothing runs now"}, "payload": "Cancel",
				 "contentType": "text/plain", "headers": {"Queues": "5 min ago"}, "result": "Cancel", "work": {"log": []},
				 "attempts": [{"at": "2026-01-01T10:00:00Z", "exception": "Stopped", "message": "Nothing runs now",
				  "instance": "Instances", "listener": "Running", "stackTrace": "Locks"}],
				 "timeline": [{"time": "2026-01-01T10:00:00Z", "what": "log", "detail": "cancelled"}]}""";
		this.server.answer("queues/receipts/messages",
				"{\"messages\": [" + message + "], \"page\": 0, \"size\": 50, \"hasNext\": false}");
		this.server.answer("queues/receipts/messages/u1", message);
		this.server.answer("locks",
				"""
						{"time": "2026-01-01T10:00:00Z", "total": 1, "page": 0, "size": 50, "hasNext": false, "locks": [{"name": "Queues",
						 "type": "FAIR_LOCK", "held": 1, "awaited": 0, "waiters": [], "holders": [{"instance": "a", "name": "Instances",
						 "thread": "Running", "since": "2026-01-01T09:59:48Z"}]}]}""");
		String page = this.server.url("").replace("#", "?lang=zh#");
		browser.open(page + "/queues/receipts/messages?state=READY");
		assertThat(browser.read("tbody tr")).contains("Cancel", "Failed", "Dead letters", "Key，3 messages，优先级 4",
				"Stopped：Nothing runs now");
		browser.click("tbody button[aria-label='取消 Cancel']");
		assertThat(browser.read("dialog[open] h2")).isEqualTo("取消 Cancel？");
		browser.open(page + "/queues/receipts/messages/u1");
		assertThat(browser.read("h1")).isEqualTo("Cancel");
		assertThat(browser.read("main")).contains("Queues\n5 min ago", "监听器 Running，在 Instances", "Nothing runs now",
				"cancelled", "写了 1 行");
		browser.script("document.querySelectorAll('main details').forEach(each => { each.open = true; })");
		assertThat(browser.texts("pre")).containsExactly("Locks", "Cancel", "Cancel");
		browser.open(page + "/locks");
		assertThat(browser.read("tbody tr")).contains("Queues\n公平锁", "Instances Running", "12 秒");
	}

	/**
	 * What a handler threw is in a sentence of the server. It stays, and does not hold up
	 * the page however long it is.
	 */
	@Test
	@SuppressWarnings("unchecked")
	void sentencesOfTheServerAreTranslatedAroundWhatComesFromOutside() {
		String hostile = "a; b, the oldest for 5 s. ".repeat(150);
		List<String> sentences = List.of("No listener consumes it; 1,200 messages wait, the oldest for 1 min 51 s.",
				"100 % of the attempts fail: IOException: Cancel; never; 1 message waits, the oldest for 5 s; done in 3 s at this pace.",
				"'name' must be a number from 1 to 50: 'Cancel'", hostile);
		browser.open(this.server.url("/").replace("#", "?lang=zh#"));
		browser.see("tbody tr");
		List<Object> said = (List<Object>) browser.driver().executeAsyncScript("""
				const [sentences, done] = arguments;
				import('./redelay/language.js').then(({ translated }) => {
				  const begun = performance.now();
				  done([...sentences.map(translated), performance.now() - begun]);
				}, failure => done([String(failure)]));
				""", sentences);
		assertThat(said.subList(0, sentences.size())).containsExactly("没有监听器消费它；1,200 条消息在等待，最久的已等 1 分 51 秒。",
				"100 % 的尝试失败：IOException: Cancel; never；1 条消息在等待，最久的已等 5 秒；按此速度 3 秒后处理完。",
				"“name” 必须是 1 到 50 的数：'Cancel'", hostile);
		assertThat(((Number) said.get(sentences.size())).doubleValue()).as("milliseconds").isLessThan(2000);
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
