package io.redelay.management;

import java.util.List;

import io.redelay.test.browser.Browser;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.Keys;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The view of what runs now, and the stack of a handler, with answers of the tests.
 */
class DashboardRunningIntegrationTests {

	private static final String HANDLER = """
			{"queue": "receipts", "id": "%s", "uid": "%s", "claim": 7, "attempt": %d, "maxAttempts": 3, "payloadType": "order",
			 "dueAt": "2026-01-01T09:59:00Z", "listener": "shop", "instance": "i1", "instanceName": "shop-1", "since": "2026-01-01T09:59:00Z",
			 "runningMillis": %d, "medianMillis": 1200, "p99Millis": 20000, "state": "IN_FLIGHT", "handling": "%s", "batch": false,
			 "messages": %d, "cancelled": false, "acknowledged": false %s}""";

	private static final String LINE = """
			, "thread": "redelay-handler-3", "line": {"type": "com.acme.OrderListener", "method": "handle", "file": "OrderListener.java", "line": 42,
			 "application": true}""";

	private static final String RUNNING = """
			{"time": "2026-01-01T10:00:00Z", "page": 0, "size": 50, "hasNext": false, "total": 2, "omitted": 1, "notKnown": 3,
			 "silent": [{"id": "i9", "name": "shop-9"}], "messages": [%s, %s]}"""
		.formatted(HANDLER.formatted("<img src=x onerror=hacked=1>", "u1", 2, 60_000, "HANDLING", 1, LINE),
				HANDLER.formatted("order-7", "u2", 3, 800, "AWAITING_RESULT", 20, ""));

	private static final String STACK = """
			{"time": "2026-01-01T10:00:00Z", "queue": "receipts", "id": "x", "uid": "u1", "instance": "i1", "instanceName": "shop-1",
			 "state": "HANDLING", "thread": "redelay-handler-3", "threadState": "WAITING", "omitted": 4, "frames": [
			 {"type": "java.lang.Object", "method": "wait", "file": "Object.java", "line": -2, "application": false},
			 {"type": "com.acme.OrderListener", "method": "handle", "file": "OrderListener.java", "line": 42, "application": true}]}""";

	@RegisterExtension
	static final Browser browser = new Browser();

	@RegisterExtension
	final PageServer server = new PageServer();

	@BeforeEach
	void answer() {
		rights(true, true);
		this.server.answer("queues/receipts/running", RUNNING);
		this.server.answer("queues/-/running", RUNNING);
		this.server.answer("queues/receipts/running/u1", STACK);
		this.server.answer("queues/receipts/running/u2",
				STACK.replaceFirst("(?s)\"frames\".*", "\"frames\": []}")
					.replace("\"HANDLING\", \"thread\": \"redelay-handler-3\", \"threadState\": \"WAITING\"",
							"\"AWAITING_RESULT\", \"awaited\": \"reactor.core.publisher.MonoToCompletableFuture\""));
	}

	private void rights(boolean write, boolean stacks) {
		this.server.answer("redelay/config", """
				{"queues": "queues", "locks": "locks", "version": "0.1.0", "write": %s, "payloads": true, "stacks": %s}
				""".formatted(write, stacks));
	}

	@Test
	void eachHandlerHasItsTimeBesideTheUsualOneAndItsLine() {
		browser.open(this.server.url("/queues/receipts/running"));
		browser.see("tbody tr");
		List<String> rows = browser.texts("tbody tr");
		assertThat(rows).hasSize(2);
		assertThat(rows.get(0)).contains("<img src=x onerror=hacked=1>", "1 min", "3 times its p99",
				"Usually 1.2 s, p99 20 s", "OrderListener.handle (OrderListener.java:42)", "redelay-handler-3, shop-1");
		assertThat(rows.get(1))
			.contains("800 ms", "Waits for the result that its handler returned", "One of 20 of a batch")
			.doesNotContain("times its p99");
		assertThat(browser.read("main")).contains("shop-9 does not say what runs there", "1 other handler of these",
				"3 other messages are in hand. Whether a handler works on them is not known.");
		assertThat(browser.script("return window.hacked")).isNull();
		assertThat(browser.barriers()).isEmpty();
		assertThat(browser.complaints()).isEmpty();
	}

	@Test
	void whatRunsInAllQueuesIsAtAKey() {
		browser.open(this.server.url("/instances"));
		browser.see("main h1", "Instances");
		browser.see("body").sendKeys("gn");
		browser.see("main h1", "Running now");
		assertThat(browser.read("#nav a[aria-current=page]")).isEqualTo("Running");
		assertThat(browser.texts("tbody td:nth-of-type(1)")).containsExactly("receipts", "receipts");
		browser.see("body").sendKeys("j");
		assertThat(browser.script("return document.activeElement.textContent"))
			.isEqualTo("<img src=x onerror=hacked=1>");
	}

	@Test
	void theStackMarksTheFramesOfTheApplication() {
		browser.open(this.server.url("/running"));
		browser.see("tbody tr");
		// By the keyboard alone.
		browser.script("document.querySelector('tbody tr button').focus()");
		browser.see("tbody tr button").sendKeys(Keys.ENTER);
		browser.see("dialog[open] .frames li.own", "com.acme.OrderListener.handle (OrderListener.java:42)");
		assertThat(browser.texts("dialog[open] .frames li.own")).hasSize(1);
		assertThat(browser.script("return performance.getEntriesByType('resource').at(-1).name")).asString()
			.endsWith("/queues/receipts/running/u1?claim=7");
		assertThat(browser.read("dialog[open]")).contains("OrderListener.handle (OrderListener.java:42)",
				"redelay-handler-3, waiting · shop-1", "java.lang.Object.wait (Object.java)", "4 more below.");
		assertThat(browser.barriers()).isEmpty();
		browser.prefersDark();
		browser.phone();
		assertThat(browser.barriersToTheEye()).isEmpty();
		this.server.answer("queues/receipts/running/u1", 409, "application/json", """
				{"status": 409, "error": "conflict", "message": "'shop-1' did not answer within 2.5 s."}""");
		browser.click("dialog[open] button", "Again");
		browser.see("dialog[open] [role=alert]", "'shop-1' did not answer within 2.5 s.");
		browser.see("dialog[open]").sendKeys(Keys.ESCAPE);
		browser.seeNo("dialog[open]");
		assertThat(browser.script("return document.activeElement.textContent")).isEqualTo("Stack");
		browser.click("tbody tr:nth-child(2) button", "Stack");
		browser.see("dialog[open]", "Its handler returned a publisher");
	}

	@Test
	void theQuestionSaysWhatAnInterruptLeadsTo() {
		this.server.answer("queues/receipts/messages/u1/interrupt",
				"{\"queue\": \"receipts\", \"id\": \"u1\", \"state\": \"IN_FLIGHT\", \"done\": true}");
		browser.open(this.server.url("/queues/receipts/running"));
		browser.see("tbody tr");
		browser.click("tbody tr:nth-child(2) button", "Interrupt");
		assertThat(browser.read("dialog[open]")).contains("What its handler returned is cancelled",
				"beside the next attempt", "20 messages in one call",
				"the message is dead: this is the last of 3 attempts");
		browser.click("dialog[open] button", "Back");
		browser.click("tbody tr:nth-child(1) button", "Interrupt");
		assertThat(browser.read("dialog[open]")).contains("A handler that takes no notice goes on.",
				"the message is tried again: this is attempt 2 of 3");
		browser.click("dialog[open] button.danger");
		browser.see("#live", "is interrupted.");
		assertThat(this.server.asked()).anySatisfy((asked) -> {
			assertThat(asked.path()).isEqualTo("queues/receipts/messages/u1/interrupt");
			assertThat(asked.body()).isEqualTo("{\"claim\":7}");
		});
	}

	@Test
	void thereAreOnlyTheButtonsThatTheUserMayUse() {
		rights(false, false);
		browser.open(this.server.url("/running"));
		browser.see("tbody tr");
		assertThat(browser.all("tbody button")).isEmpty();
		rights(false, true);
		browser.driver().navigate().refresh();
		browser.see("tbody tr");
		assertThat(browser.texts("tbody button")).containsOnly("Stack");
		rights(true, false);
		browser.driver().navigate().refresh();
		browser.see("tbody tr button");
		assertThat(browser.texts("tbody button")).doesNotContain("Stack").contains("Stop", "Interrupt");
	}

}
