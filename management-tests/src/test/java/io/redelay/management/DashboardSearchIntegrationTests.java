package io.redelay.management;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.redelay.test.browser.Browser;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The dashboard over all queues: its search box, dead letters, ticked messages, undo and
 * keys, in a browser, with answers of the tests.
 */
class DashboardSearchIntegrationTests {

	private static final String MESSAGE = """
			{"id": "%s", "uid": "%s", "queue": "%s", "state": "%s", "sentAt": "2026-01-01T10:00:00Z", "dueAt": "2999-01-01T10:00:00Z",
			 "diedAt": "2026-01-01T10:01:00Z", "failures": 3, "crashes": 0, "cancelled": false, "tags": [], "contentType": "application/json",
			 "bytes": 60, "death": {"at": "2026-01-01T10:01:00Z", "instance": "shop-1", "reason": "FAILED", "exception": "com.acme.MailException",
			  "message": "no answer <script>hacked=1</script>", "failures": 3, "crashes": 0}}""";

	private static final String FOUND = "{\"messages\": [%s], \"examined\": 2, \"complete\": true}"
		.formatted(String.join(", ", MESSAGE.formatted("<img src=x onerror=hacked=1>", "u1", "receipts", "DEAD"),
				MESSAGE.formatted("order-7", "u2", "mails", "DEAD")));

	private static final String WAITING = MESSAGE.formatted("order-7", "u2", "mails", "SCHEDULED")
		.replace("\"failures\": 3", "\"failures\": 0");

	@RegisterExtension
	static final Browser browser = new Browser();

	@RegisterExtension
	final PageServer server = new PageServer();

	@BeforeEach
	void answer() {
		this.server.answer("queues/-/messages", FOUND);
		this.server.answer("queues/mails/messages/u2", WAITING);
	}

	@Test
	void oneBoxSearchesAllQueuesFromEachView() {
		browser.open(this.server.url("/instances"));
		browser.see("main h1", "Instances");
		browser.see("#search-all").sendKeys("order-7\n");
		browser.see("main h1", "order-7");
		assertThat(browser.driver().getCurrentUrl()).endsWith("#/search?q=order-7");
		assertThat(browser.texts("main tbody tr")).hasSize(2);
		assertThat(browser.read("main")).contains("2 messages found among 2 in all queues.", "mails", "MailException",
				"no answer <script>hacked=1</script>");
		assertThat(browser.script("return window.hacked")).isNull();
		browser.click(".choices a", "Key");
		await().untilAsserted(() -> assertThat(browser.driver().getCurrentUrl()).endsWith("?q=order-7&by=key"));
		assertThat(browser.see("#search-all").getAttribute("value")).isEqualTo("order-7");
		browser.click("tbody th a", "order-7");
		browser.see("main h1", "order-7");
		assertThat(browser.complaints()).isEmpty();
	}

	@Test
	void aSearchGoesOnInBoundedStepsAndThenAsks() {
		this.server.answer("queues/-/messages",
				"{\"messages\": [%s], \"examined\": 1000, \"cursor\": \"c\", \"complete\": false}".formatted(WAITING));
		browser.open(this.server.url("/search?q=x&by=cause"));
		browser.see(".pager button", "Go on");
		assertThat(browser.read(".lead")).isEqualTo("1 message found among 21,000 so far.");
		assertThat(asked("GET", "queues/-/messages")).hasSize(21);
		this.server.answer("queues/-/messages",
				"{\"messages\": [], \"examined\": 5, \"complete\": true, \"failed\": [\"broken\"]}");
		browser.click(".pager button", "Go on");
		browser.see(".lead", "1 message found among 21,005 in all queues.");
		assertThat(browser.read("main .unread")).contains("broken. They were not searched.");
	}

	@Test
	void allDeadLettersAreListedWithTheirQueuesPageByPage() {
		this.server.answer("queues/-/messages", FOUND.replace("\"complete\": true", "\"cursor\": \"ALL~mails~d\""));
		browser.open(this.server.url("/"));
		browser.click("#nav a", "Dead letters");
		browser.see("main h1", "Dead letters");
		assertThat(browser.texts("main tbody tr")).hasSize(2);
		assertThat(browser.texts(".choices a")).contains("receipts 37");
		browser.click(".pager a", "Next page");
		browser.see(".pager a", "First page");
		assertThat(browser.driver().getCurrentUrl()).endsWith("#/dead?cursor=ALL%7Emails%7Ed");
		browser.click(".choices a", "receipts");
		browser.until("the causes of a queue",
				() -> browser.driver().getCurrentUrl().endsWith("#/queues/receipts/dead"));
	}

	@Test
	void aTickIsThatOfOneCopyOfATopic() {
		this.server.answer("queues/-/messages",
				"{\"messages\": [%s, %s], \"complete\": true}".formatted(
						MESSAGE.formatted("order-7", "u1", "orders.billing", "DEAD"),
						MESSAGE.formatted("order-7", "u1", "orders.mails", "DEAD")));
		this.server.answer("queues/orders.mails/messages/u1/redrive", "{}");
		browser.open(this.server.url("/dead"));
		browser.see(".tick-bar", "None ticked");
		browser.click("input.tick[value='orders.mails u1']");
		browser.see(".tick-bar", "1 ticked");
		assertThat(browser.script("return Array.from(document.querySelectorAll('input.tick'), (box) => box.checked)"))
			.isEqualTo(List.of(false, true));
		browser.click(".tick-bar button", "Redrive");
		browser.click("dialog[open] button.primary");
		browser.see("#live", "Redrive: 1 message done.");
		assertThat(posts()).extracting(PageServer.Asked::path)
			.containsExactly("queues/orders.mails/messages/u1/redrive");
	}

	@Test
	void tickedMessagesAreActedOnAfterAQuestion() {
		this.server.answer("queues/receipts/messages/u1/redrive", "{}");
		this.server.answer("queues/mails/messages/u2/redrive", 409, "application/json",
				"{\"status\": 409, \"error\": \"conflict\", \"message\": \"It is READY now.\"}");
		browser.open(this.server.url("/dead"));
		browser.see(".tick-bar", "None ticked");
		browser.click("input[aria-label='Tick order-7']");
		browser.see(".tick-bar", "1 ticked");
		browser.click(".tick-bar button", "Tick all 2 shown");
		browser.see(".tick-bar", "2 ticked");
		browser.click(".tick-bar button", "Redrive");
		assertThat(browser.read("dialog[open]")).contains("Redrive 2 messages?", "2 messages of 2 queues", "order-7",
				"2 messages at 10 a second");
		assertThat(posts()).as("nothing is done before").isEmpty();
		WebElement rate = browser.see("dialog[open] #dialog-perSecond");
		rate.clear();
		rate.sendKeys("1000");
		browser.click("dialog[open] button.primary");
		browser.see("#live", "Redrive: 1 message done, 1 refused: It is READY now.");
		assertThat(posts()).extracting(PageServer.Asked::path)
			.containsExactly("queues/receipts/messages/u1/redrive", "queues/mails/messages/u2/redrive");
		assertThat(posts()).extracting(PageServer.Asked::token).containsOnly("a token");
		browser.see(".tick-bar", "1 ticked");
		browser.click(".tick-bar button", "Delete");
		assertThat(browser.see("dialog[open] button.danger").isEnabled()).as("the queue has to be typed").isFalse();
	}

	@ParameterizedTest
	@CsvSource(delimiter = ':', textBlock = """
			SCHEDULED: Run now, Reschedule, Cancel, Put to the dead, Change, Delete
			READY: Reschedule, Cancel, Put to the dead, Change, Delete
			IN_FLIGHT: Cancel
			DEAD: Redrive, Delete
			COMPLETED: Delete""")
	void eachButtonForTickedMessagesDoesWhatItSays(String state, String labels) {
		List<String> buttons = List.of(labels.split(", "));
		this.server.answer("queues/-/messages", "{\"messages\": [%s], \"complete\": true}"
			.formatted(MESSAGE.formatted("order-7", "u2", "mails", state)));
		List<String> commands = List.of("run", "reschedule", "cancel", "bury", "change", "redrive");
		commands.forEach((command) -> this.server.answer("queues/mails/messages/u2/" + command, "{}"));
		browser.open(this.server.url("/dead"));
		for (String label : buttons) {
			browser.click("input[aria-label='Tick order-7']");
			browser.see(".tick-bar", "1 ticked");
			assertThat(browser.texts(".tick-bar button")).containsExactlyElementsOf(
					Stream.concat(Stream.of("Untick all"), buttons.stream().map((each) -> each + "…")).toList());
			browser.click(".tick-bar button", label + "…");
			browser.see("dialog[open] h2", label + " 1 message?");
			if (!browser.all("#dialog-typed").isEmpty()) {
				browser.see("#dialog-typed").sendKeys("mails");
			}
			browser.see("dialog[open] button[type='submit']").click();
			browser.see("#live", label + ": 1 message done.");
			browser.see(".tick-bar", "None ticked");
		}
		assertThat(browser.complaints()).isEmpty();
	}

	@Test
	void aUserWithoutTheRightToWriteHasNothingToTick() {
		this.server.write(false);
		browser.open(this.server.url("/dead"));
		browser.see("tbody tr");
		assertThat(browser.all("main input, main button")).isEmpty();
	}

	@Test
	void aMessageThatWasBuriedIsDueAgainAsItWas() {
		this.server.answer("queues/mails/messages/u2/bury", "{}");
		this.server.answer("queues/mails/messages/u2/redrive", "{}");
		browser.open(this.server.url("/queues/mails/messages/u2"));
		browser.click(".head-actions button", "Put to the dead");
		this.server.answer("queues/mails/messages/u2", WAITING.replace("SCHEDULED", "DEAD"));
		browser.click("dialog[open] button.primary");
		browser.see(".toast", "order-7 is dead.");
		assertThat(browser.barriers()).isEmpty();
		browser.click(".toast button", "Undo");
		browser.see("#live", "It is due as it was before.");
		assertThat(posts()).extracting(PageServer.Asked::path)
			.containsExactly("queues/mails/messages/u2/bury", "queues/mails/messages/u2/redrive");
		assertThat(posts().get(1).body()).isEqualTo("{\"due\":\"2999-01-01T10:00:00Z\"}");
	}

	@Test
	void undoLeavesAnotherMessageWithTheSameIdAlone() {
		this.server.answer("queues/mails/messages/u2/reschedule", "{\"due\": \"2026-01-01T10:00:00Z\"}");
		browser.open(this.server.url("/queues/mails/messages/u2"));
		browser.click(".head-actions button", "Reschedule");
		browser.click("dialog[open] button.primary");
		browser.see(".toast button", "Undo");
		String another = WAITING.replace("\"sentAt\": \"2026-01-01", "\"sentAt\": \"2026-02-02");
		this.server.answer("queues/mails/messages/u2", another);
		this.server.answer("queues/mails/messages/order-7", another);
		press("u");
		browser.see(".toast.failed", "It has gone meanwhile");
		assertThat(posts()).hasSize(1);
	}

	@Test
	void aMessageThatHadFailedIsNotRedrivenWithAllItsAttempts() {
		this.server.answer("queues/mails/messages/u2/bury", "{}");
		this.server.answer("queues/mails/messages/u2", MESSAGE.formatted("order-7", "u2", "mails", "SCHEDULED"));
		browser.open(this.server.url("/queues/mails/messages/u2"));
		browser.click(".head-actions button", "Put to the dead");
		browser.click("dialog[open] button.primary");
		browser.see(".toast", "order-7 is dead.");
		assertThat(browser.all(".toast button")).isEmpty();
	}

	@Test
	void undoGoesOnBehindAMessageThatHasGoneAndIsOfferedAgainWhileRedisIsAway() {
		String[] names = { "u1", "u2", "u3" };
		for (String name : names) {
			this.server.answer("queues/mails/messages/" + name + "/reschedule", "{}");
			this.server.answer("queues/mails/messages/" + name, moved(name));
		}
		String listed = String.join(", ", Stream.of(names).map(DashboardSearchIntegrationTests::waiting).toList());
		this.server.answer("queues/-/messages", "{\"messages\": [%s], \"complete\": true}".formatted(listed));
		browser.open(this.server.url("/dead"));
		browser.click(".tick-bar button", "Tick all 3 shown");
		browser.click(".tick-bar button", "Reschedule");
		browser.see("dialog[open] #dialog-perSecond").clear();
		browser.click("dialog[open] button.primary");
		browser.see(".toast button", "Undo");
		this.server.answerAsAlways("queues/mails/messages/u1");
		String away = "{\"status\": 503, \"error\": \"unavailable\", \"message\": \"Redis is away.\"}";
		this.server.answer("queues/mails/messages/u3/reschedule", 503, "application/json", away);
		this.server.asked().clear();
		press("u");
		browser.see(".toast.failed", "1 due as before, 1 not yet: Redis is away.");
		assertThat(posts()).extracting(PageServer.Asked::path)
			.containsExactly("queues/mails/messages/u2/reschedule", "queues/mails/messages/u3/reschedule");
		this.server.answer("queues/mails/messages/u3/reschedule", "{}");
		press("u");
		browser.see(".toast.failed", "1 due as before, 1 stayed: It has gone meanwhile");
		assertThat(posts()).extracting(PageServer.Asked::path)
			.endsWith("queues/mails/messages/u3/reschedule", "queues/mails/messages/u3/reschedule");
	}

	private static String waiting(String uid) {
		return WAITING.replace("order-7", "order-" + uid).replace("u2", uid);
	}

	/** It is rescheduled. */
	private static String moved(String uid) {
		return waiting(uid).replace("2999-01", "2999-02");
	}

	@Test
	void undoSaysWhatStayedAsItIs() {
		for (String name : List.of("u1", "u2")) {
			this.server.answer("queues/mails/messages/" + name + "/reschedule", "{}");
			this.server.answer("queues/mails/messages/" + name, moved(name));
		}
		this.server.answer("queues/-/messages",
				"{\"messages\": [%s, %s], \"complete\": true}".formatted(waiting("u1"), waiting("u2")));
		browser.open(this.server.url("/dead"));
		browser.click(".tick-bar button", "Tick all 2 shown");
		browser.click(".tick-bar button", "Reschedule");
		browser.see("dialog[open] #dialog-perSecond").clear();
		browser.click("dialog[open] button.primary");
		browser.see(".toast button", "Undo");
		this.server.answerAsAlways("queues/mails/messages/u1");
		press("u");
		browser.see(".toast.failed", "1 due as before, 1 stayed: It has gone meanwhile, and stays as it is.");
		assertThat(browser.all(".toast button")).isEmpty();
	}

	@Test
	void aPauseIsUndoneByAKey() {
		this.server.answer("queues/receipts/pause", "{}");
		this.server.answer("queues/receipts/resume", "{}");
		browser.open(this.server.url("/queues/receipts"));
		browser.click("main button", "Pause");
		browser.click("dialog[open] button.primary");
		browser.see("#live", "Undo is at the end of the page, and at the key u.");
		press("u");
		browser.see("#live", "receipts is resumed again.");
		assertThat(posts()).extracting(PageServer.Asked::path)
			.containsExactly("queues/receipts/pause", "queues/receipts/resume");
	}

	@Test
	void aReaderGoesThroughTheQueuesByKeys() {
		browser.open(this.server.url("/instances"));
		browser.see("main h1", "Instances");
		press("g", "q");
		browser.see("tbody tr", "price-imports");
		press("j", "j", "j", "k");
		assertThat(active()).isEqualTo("payment-webhooks");
		press("k", "k", "k");
		assertThat(active()).isEqualTo("price-imports");
		press("/");
		assertThat(browser.script("return document.activeElement.id")).isEqualTo("search-all");
		press("g", "d", "j", "?");
		assertThat(browser.see("#search-all").getAttribute("value")).as("typed, as a field has the focus")
			.isEqualTo("gdj?");
		assertThat(browser.all("dialog")).isEmpty();
		assertThat(browser.driver().getCurrentUrl()).endsWith("#/");
		browser.script("document.activeElement.blur()");
		press("g", "d");
		browser.see("main h1", "Dead letters");
		press("j", "x");
		browser.see(".tick-bar", "1 ticked");
		press(Keys.ENTER.toString());
		browser.until("the message", () -> browser.driver().getCurrentUrl().endsWith("/messages/u1"));
	}

	@Test
	void theKeysAreListedAndCanBeTurnedOffForGood() {
		browser.open(this.server.url("/"));
		browser.see("tbody tr");
		press("?");
		assertThat(browser.read("dialog[open]")).contains("Keys", "go to the search box", "next row",
				"undo what was just done", "Use these keys");
		assertThat(browser.barriers()).isEmpty();
		browser.prefersDark();
		browser.phone();
		assertThat(browser.barriersToTheEye()).isEmpty();
		press("j");
		assertThat(browser.script("return document.querySelector('dialog').contains(document.activeElement)"))
			.isEqualTo(true);
		browser.click("#keys-on");
		browser.command("Emulation.setDeviceMetricsOverride",
				Map.of("width", 360, "height", 480, "deviceScaleFactor", 2, "mobile", true));
		Object covered = browser
			.script("""
					const button = document.querySelector('dialog button.primary');
					const { left, right, top, bottom } = button.getBoundingClientRect();
					return document.elementFromPoint((left + right) / 2, (top + bottom) / 2) !== button || bottom > window.innerHeight;
					""");
		assertThat(covered).as("what closes it is not in sight").isEqualTo(false);
		browser.click("dialog button.primary");
		browser.seeNo("dialog");
		browser.script("document.activeElement.blur()");
		browser.script("document.getElementById('keys').dispatchEvent(new MouseEvent('click', { bubbles: true }))");
		browser.click("dialog button.primary");
		browser.seeNo("dialog");
		assertThat(browser.script("return document.activeElement.id")).as("a touch does not give it the focus")
			.isEqualTo("keys");
		press("j", "/", "?", "g", "i");
		assertThat(browser.script("return document.activeElement.closest('tr, input, dialog')")).isNull();
		browser.open(this.server.url("/"));
		browser.see("tbody tr");
		press("?");
		assertThat(browser.all("dialog")).as("off also when the page is loaded again").isEmpty();
		browser.click("#keys");
		browser.see("#keys-on").sendKeys(Keys.SPACE);
		press(Keys.ESCAPE.toString());
		browser.seeNo("dialog");
		press("j");
		assertThat(active()).isEqualTo("price-imports");
	}

	@Test
	void aKeyThatTheBrowserHasIsLeftToIt() {
		browser.open(this.server.url("/"));
		browser.see("tbody tr");
		press(Keys.chord(Keys.CONTROL, "j"), Keys.chord(Keys.ALT, "j"));
		assertThat(browser.script("return document.activeElement.closest('tr')")).isNull();
	}

	private static void press(String... keys) {
		for (String key : keys) {
			browser.driver().switchTo().activeElement().sendKeys(key);
		}
	}

	private static String active() {
		return browser.driver().switchTo().activeElement().getText();
	}

	private List<PageServer.Asked> posts() {
		return this.server.asked().stream().filter((asked) -> asked.method().equals("POST")).toList();
	}

	private List<PageServer.Asked> asked(String method, String path) {
		return this.server.asked()
			.stream()
			.filter((asked) -> asked.method().equals(method) && asked.path().equals(path))
			.toList();
	}

}
