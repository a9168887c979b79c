package io.redelay.management;

import java.util.List;
import java.util.Map;

import io.redelay.test.browser.Browser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The dashboard's views of messages, dead letters and jobs, in a browser, with answers of
 * the tests.
 */
class DashboardMessagesIntegrationTests {

	private static final String HOSTILE = "<img src=x onerror=hacked=1>";

	private static final String DEAD = """
			{"id": "<img src=x onerror=hacked=1>", "uid": "u1", "queue": "receipts", "state": "DEAD", "sentAt": "2026-01-01T10:00:00Z",
			 "dueAt": "2026-01-01T10:00:00Z", "diedAt": "2026-01-01T10:01:00Z", "failures": 3, "crashes": 0, "cancelled": false,
			 "tags": ["<b>order:7</b>"], "contentType": "application/json", "bytes": 60, "death": {"at": "2026-01-01T10:01:00Z",
			  "instance": "shop-1", "listener": "mail", "reason": "FAILED", "exception": "com.acme.MailException",
			  "message": "no answer <script>hacked=1</script>", "failures": 3, "crashes": 0}%s}
			""";

	private static final String FULL = DEAD.formatted(
			"""
					, "payload": "{\\"order\\": 12345678901234567890, \\"name\\": \\"<script>hacked=1</script>\\", \\"none\\": [], \\"a\\": {\\"b\\": 1.50}}",
					 "headers": {"<b>h</b>": "<script>hacked=1</script>"}, "work": {"log": [], "droppedLines": 0}, "attempts": [],
					 "timeline": [{"time": "2026-01-01T10:00:00Z", "what": "sent"}, {"time": "2026-01-01T10:00:10Z", "what": "log", "detail": "one"},
					  {"time": "2026-01-01T10:00:11Z", "what": "log", "detail": "two"},
					  {"time": "2026-01-01T10:01:00Z", "what": "died", "attempt": 3, "detail": "no answer <script>hacked=1</script>"}]""");

	private static final String JOB = """
			{"id": "j1", "queue": "receipts", "action": "REDRIVE", "state": "%s", "seen": 40, "matched": 12, "done": 7, "refused": 1,
			 "startedAt": "2026-01-01T10:00:00Z", "startedBy": "olga", "filter": {"states": ["DEAD"], "exception": "com.acme.MailException"}}
			""";

	private static final String CAUSES = """
			{"causes": [{"reason": "FAILED", "exception": "com.acme.MailException", "message": "no answer <script>hacked=1</script>", "count": 12},
			 {"reason": "REJECTED", "exception": "io.redelay.queue.RejectMessageException", "message": "card 4711 is expired", "count": 3}]}
			""";

	@RegisterExtension
	static final Browser browser = new Browser();

	@RegisterExtension
	final PageServer server = new PageServer();

	@Test
	void messageIsShownAsTextWithEachDigitOfItsNumbers() {
		this.server.answer("queues/receipts/messages/u1", FULL);
		browser.open(this.server.url("/queues/receipts/messages/u1"));
		assertThat(browser.read("h1")).isEqualTo(HOSTILE);
		assertThat(browser.read("pre.payload")).isEqualTo("""
				{
				  "order": 12345678901234567890,
				  "name": "<script>hacked=1</script>",
				  "none": [],
				  "a": {
				    "b": 1.50
				  }
				}""");
		assertThat(browser.read(".timeline")).contains("Sent", "Wrote 2 lines", "two", "Died", "attempt 3",
				"49 s later", "no answer <script>hacked=1</script>");
		assertThat(browser.script("return window.hacked")).isNull();
		assertThat(browser.script("return document.querySelectorAll('main script, main img, main b').length"))
			.isEqualTo(0L);
		assertThat(browser.complaints()).isEmpty();
	}

	@Test
	void deadLettersShowTheirRuleTheirRoundsAndWhichStay() {
		String rule = """
				"redrive": {"delayMillis": 3600000, "rounds": 3, "perSecond": 10, "reasons": ["FAILED"], "active": %s,
				 "next": "2036-01-01T10:00:00Z", "lastStayed": "2026-01-01T09:00:00Z"}""";
		this.server.answer("queues/receipts/causes",
				CAUSES.replaceFirst("\\{", "{\"time\": \"2026-01-01T10:00:00Z\", " + rule.formatted("true") + ", "));
		browser.open(this.server.url("/queues/receipts/dead"));
		assertThat(browser.read(".redrive"))
			.contains("1 h after a death, in 3 rounds, at 10 a second", "Next in", "stays after all rounds")
			.doesNotContain("no instance");
		this.server.answer("queues/receipts",
				"""
						{"time": "2026-01-01T10:00:00Z", "queue": "receipts", "settings": [], "consumers": [], "counts":
						 {"scheduled": 0, "ready": 0, "inFlight": 0, "dead": 3, "completed": 0, "paused": false, "closed": false}, %s}
						"""
					.formatted(rule.formatted("false")));
		browser.open(this.server.url("/queues/receipts"));
		await().untilAsserted(() -> assertThat(browser.read("main")).contains("Dead letters are redriven",
				"no instance does so now", "Next redrive"));
		this.server.answer("queues/receipts/messages",
				"{\"messages\": ["
						+ DEAD.formatted(", \"rounds\": 1, \"mostRounds\": 3, \"redriveAt\": \"2036-01-01T10:00:00Z\"")
						+ ", " + DEAD.replace("\"u1\"", "\"u2\"").formatted(", \"rounds\": 3, \"mostRounds\": 3")
						+ "], \"page\": 0, \"size\": 50, \"hasNext\": false}");
		browser.open(this.server.url("/queues/receipts/messages?state=DEAD"));
		await().untilAsserted(() -> assertThat(browser.read(".table-box.messages")).contains("Rounds",
				"1 of 3, again in", "3 of 3, stays"));
		this.server.answer("queues/receipts/messages/u1",
				FULL.replaceFirst("\"crashes\": 0, ", "\"crashes\": 0, \"rounds\": 3, \"mostRounds\": 3, "));
		browser.open(this.server.url("/queues/receipts/messages/u1"));
		await().untilAsserted(() -> assertThat(browser.read("main")).contains("Rounds of redriving", "3 of 3, stays"));
		assertThat(browser.complaints()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "{\\\"a\\\": [1, {\\\"b\\\": \\\"}],\\\"}]}", "not json: <script>", "[[[[[[]]]]]]",
			"\\\"a, b: c\\\"" })
	void payloadLosesNothing(String payload) {
		this.server.answer("queues/receipts/messages/u1", FULL.replaceFirst("\"payload\": \".*?[^\\\\]\",\n",
				"\"payload\": \"" + payload.replace("\\", "\\\\") + "\",\n"));
		browser.open(this.server.url("/queues/receipts/messages/u1"));
		String shown = browser.read("pre.payload");
		assertThat(shown.replaceAll("\\s", "")).isEqualTo(payload.replace("\\\"", "\"").replaceAll("\\s", ""));
	}

	@Test
	void payloadOfManyValuesDoesNotHoldUpThePage() {
		String payload = "[" + "1,".repeat(32_000) + "1]";
		this.server.answer("queues/receipts/messages/u1",
				FULL.replaceFirst("\"payload\": \".*?[^\\\\]\",\n", "\"payload\": \"" + payload + "\",\n"));
		browser.open(this.server.url("/queues/receipts/messages/u1"));
		browser.see("pre.payload");
		Number millis = (Number) browser.driver().executeAsyncScript("""
				const done = arguments[1];
				import(new URL('redelay/message.js', document.baseURI)).then(({ pretty }) => {
				  const begun = performance.now();
				  pretty(arguments[0]);
				  done(performance.now() - begun);
				});
				""", payload);
		assertThat(millis.doubleValue()).as("milliseconds").isLessThan(2000);
	}

	@Test
	void messageThatEndsWhileItIsLookedAtStays() throws Exception {
		this.server.answer("queues/receipts/messages/u1", FULL);
		try (AutoCloseable fast = browser.fastTimers()) {
			browser.open(this.server.url("/queues/receipts/messages/u1"));
			browser.see(".timeline");
			this.server.answer("queues/receipts/messages/u1", 404, "application/json",
					"{\"status\": 404, \"error\": \"unknown-message\", \"message\": \"There is no message u1.\"}");
			browser.see(".badge", "Gone");
			assertThat(browser.read("pre.payload")).contains("12345678901234567890");
			assertThat(browser.all(".head-actions button")).isEmpty();
		}
	}

	@Test
	void maskedMessageCannotHaveItsPayloadChanged() {
		this.server.answer("queues/receipts/messages/u1",
				DEAD.formatted(", \"masked\": true, \"timeline\": []").replace("\"DEAD\"", "\"SCHEDULED\""));
		browser.open(this.server.url("/queues/receipts/messages/u1"));
		browser.see("#s-payload");
		assertThat(browser.all("pre.payload")).isEmpty();
		browser.click(".head-actions button", "Change");
		assertThat(browser.all("dialog[open] textarea")).isEmpty();
	}

	@Test
	void timelineSaysWhatItDoesNotShow() {
		this.server.answer("queues/receipts/messages/u1", FULL.replace(
				"{\"time\": \"2026-01-01T10:00:10Z\", \"what\": \"log\"",
				"{\"time\": \"2026-01-01T10:00:10Z\", \"what\": \"omitted\", \"detail\": \"7 earlier lines are not shown\"}, "
						+ "{\"time\": \"2026-01-01T10:00:10Z\", \"what\": \"log\""));
		browser.open(this.server.url("/queues/receipts/messages/u1"));
		browser.see(".timeline li", "7 earlier lines are not shown");
	}

	@Test
	void anIdDoesNotTurnTheQuestionAround() {
		this.server.answer("queues/receipts/messages/u1", FULL.replace(HOSTILE, "a\u202eb"));
		browser.open(this.server.url("/queues/receipts/messages/u1"));
		browser.click(".head-actions button", "Redrive");
		assertThat(browser.read("dialog[open] h2")).isEqualTo("Redrive a\ufffdb?");
	}

	@Test
	void changeNamesWhatTheServerKnows() {
		this.server.answer("queues/receipts/messages/u1", FULL.replace("\"DEAD\"", "\"SCHEDULED\""));
		this.server.answer("queues/receipts/messages/u1/change", 400, "application/json",
				"{\"status\": 400, \"error\": \"bad-parameter\", \"parameter\": \"payload\", \"message\": \"No JSON.\"}");
		browser.open(this.server.url("/queues/receipts/messages/u1"));
		browser.click(".head-actions button", "Change");
		WebElement failures = browser.see("dialog[open] #dialog-failures");
		failures.clear();
		failures.sendKeys("0");
		browser.see("dialog[open] #dialog-priority").sendKeys("7");
		browser.click("dialog[open] button.primary");
		browser.see(".toast.failed", "No JSON.");
		assertThat(posted("queues/receipts/messages/u1/change")).isEqualTo("{\"failures\":0,\"priority\":7}");
	}

	@Test
	void changeOfAnotherFieldLeavesThePayloadAsItIs() {
		this.server.answer("queues/receipts/messages/u1", FULL.replace("\"DEAD\"", "\"SCHEDULED\"")
			.replaceFirst("\"payload\": \".*?[^\\\\]\",\n", "\"payload\": \"one\\\\r\\\\ntwo\\\\rthree\",\n"));
		this.server.answer("queues/receipts/messages/u1/change", "{}");
		browser.open(this.server.url("/queues/receipts/messages/u1"));
		browser.click(".head-actions button", "Change");
		assertThat(browser.see("dialog[open] textarea").getAttribute("value")).contains("two");
		browser.see("dialog[open] #dialog-priority").sendKeys("7");
		browser.click("dialog[open] button.primary");
		browser.see("#live", "is changed");
		assertThat(posted("queues/receipts/messages/u1/change")).isEqualTo("{\"priority\":7}");
	}

	@Test
	void causeIsRedrivenWhenItIsSaidHowManyAndAtWhichRate() {
		this.server.answer("queues/receipts/causes", CAUSES);
		this.server.answer("queues/receipts/jobs", 202, "application/json", JOB.formatted("RUNNING"));
		this.server.answer("queues/receipts/jobs/j1", JOB.formatted("RUNNING"));
		browser.open(this.server.url("/queues/receipts/dead"));
		assertThat(browser.read(".cause")).contains("12", "MailException", "no answer <script>hacked=1</script>");
		browser.click(".cause button", "Redrive 12");
		assertThat(browser.read("dialog[open]")).contains("Redrive 12 dead letters?",
				"dead messages with reason of death FAILED and failure type com.acme.MailException",
				"12 messages at 10 a second take about 1.2 s");
		assertThat(browser.see("dialog[open] #dialog-perSecond").getAttribute("value")).isEqualTo("10");
		assertThat(asked("queues/receipts/jobs")).as("nothing is done before").isZero();
		browser.click("dialog[open] button.primary");
		assertThat(browser.read(".job")).contains("Running",
				"Redrive dead messages with failure type com.acme.MailException", "7 messages done, 1 refused");
		assertThat(posted("queues/receipts/jobs")).contains("\"action\":\"REDRIVE\"", "\"state\":\"DEAD\"",
				"\"exception\":\"com.acme.MailException\"", "\"reason\":\"FAILED\"", "\"perSecond\":\"10\"");
		assertThat(browser.script("return window.hacked")).isNull();
	}

	@Test
	void causeIsRedrivenAtARate() {
		this.server.answer("queues/receipts/causes", CAUSES);
		this.server.answer("queues/receipts/jobs", 202, "application/json", JOB.formatted("DONE"));
		this.server.answer("queues/receipts/jobs/j1", JOB.formatted("DONE"));
		browser.open(this.server.url("/queues/receipts/dead"));
		browser.see(".cause:nth-child(2) button", "Redrive").click();
		WebElement rate = browser.see("dialog[open] #dialog-perSecond");
		rate.clear();
		rate.sendKeys("2.5");
		browser.click("dialog[open] button.primary");
		browser.see(".job .badge", "Done");
		// Rejections are distinguished by their text, with numbers left out.
		assertThat(posted("queues/receipts/jobs")).contains("\"perSecond\":\"2.5\"", "\"reason\":\"REJECTED\"",
				"\"text\":\"is expired\"");
	}

	@Test
	void causeIsChosenByAllThatDistinguishesIt() {
		this.server.answer("queues/receipts/causes",
				"""
						{"causes": [{"reason": "BURIED", "message": "batch 7 was wrong", "count": 4},
						 {"reason": "REJECTED", "message": "two lines\\nof which the second one is longer", "count": 2}, {"count": 1}]}
						""");
		this.server.answer("queues/receipts/jobs", 202, "application/json", JOB.formatted("DONE"));
		this.server.answer("queues/receipts/jobs/j1", JOB.formatted("DONE"));
		browser.open(this.server.url("/queues/receipts/dead"));
		browser.click(".cause button", "Redrive 4");
		browser.click("dialog[open] button.primary");
		browser.see(".job");
		assertThat(posted("queues/receipts/jobs")).contains("\"reason\":\"BURIED\"", "\"exception\":\"-\"",
				"\"text\":\"was wrong\"");
		browser.click(".cause button", "Redrive 2");
		browser.click("dialog[open] button.primary");
		browser.until("the second job", () -> asked("queues/receipts/jobs") == 2);
		assertThat(posted("queues/receipts/jobs")).contains("\"text\":\"of which the second one is longer\"");
		// Of the third nothing is known by which it could be chosen.
		assertThat(browser.texts(".cause:nth-child(3) .button, .cause:nth-child(3) button"))
			.containsExactly("Show messages");
	}

	@Test
	void jobForThoseWithoutAnExceptionSaysSo() {
		this.server.answer("queues/receipts/jobs", """
				{"jobs": [%s], "page": 0, "size": 50, "hasNext": false}
				""".formatted(JOB.formatted("DONE").replace("com.acme.MailException", "")));
		browser.open(this.server.url("/queues/receipts/jobs"));
		browser.see("tbody th", "Redrive dead messages with no failure type");
	}

	@Test
	void allThatASearchFindsAreDeletedOnlyWhenTheQueueIsNamed() {
		this.server.answer("queues/receipts/messages",
				"{\"messages\": [%s], \"examined\": 40, \"complete\": true}".formatted(DEAD.formatted("")));
		this.server.answer("queues/receipts/jobs", 202, "application/json", JOB.formatted("RUNNING"));
		this.server.answer("queues/receipts/jobs/j1", JOB.formatted("RUNNING"));
		browser.open(this.server.url("/queues/receipts/messages?tag=order:7"));
		assertThat(browser.read(".found")).isEqualTo("1 message found among 40; all were looked at.");
		assertThat(browser.read("tbody th")).contains(HOSTILE, "<b>order:7</b>");
		browser.click(".bulk summary");
		browser.click(".bulk button", "Delete");
		assertThat(browser.texts("dialog[open] .dialog-buttons button")).containsExactly("Back", "Delete them");
		assertThat(browser.read("dialog[open]")).contains("Delete 1 message?", "with tag order:7");
		WebElement go = browser.see("dialog[open] button.danger");
		assertThat(go.isEnabled()).isFalse();
		browser.see("#dialog-typed").sendKeys("receipts");
		go.click();
		browser.see(".job");
		assertThat(posted("queues/receipts/jobs")).contains("\"action\":\"DELETE\"", "\"tag\":\"order:7\"",
				"\"confirm\":\"receipts\"");
	}

	@Test
	void calendarSaysWhatHandlersNeedAndIsReadByKeyboard() {
		String calendar = """
				{"time": "2036-05-04T06:30:00Z", "span": "DAY", "zone": "Z", "scheduled": 81000, "later": 1000, "ready": 3, "retrying": 7,
				 "paused": %s, %s "bars": [
				 {"from": "2036-05-04T06:30:00Z", "to": "2036-05-04T07:00:00Z", "due": 0, "handlingMillis": 0, "overrunMillis": 0},
				 {"from": "2036-05-04T07:00:00Z", "to": "2036-05-04T08:00:00Z", "due": 80000, "handlingMillis": 840000, "overrunMillis": 0},
				 {"from": "2036-05-04T08:00:00Z", "to": "2036-05-04T09:00:00Z", "due": 10, "handlingMillis": 7200000, "overrunMillis": 3600000}]}
				""";
		this.server.answer("queues/receipts/calendar", calendar.formatted("false", "\"perSecond\": 95.2,"));
		this.server.answer("queues/receipts/recurring", "{\"total\": 2, \"recurring\": []}");
		this.server.answer("queues/receipts/messages", "{\"messages\": [{\"dueAt\": \"2036-05-04T07:10:00Z\"}]}");
		browser.command("Emulation.setTimezoneOverride", Map.of("timezoneId", "Asia/Kolkata"));
		try {
			browser.open(this.server.url("/queues/receipts/calendar"));
			browser.see(".calendar .lead", "80,010 of 81,000 scheduled messages");
			assertThat(browser.read(".calendar .lead")).contains("12:30", "1:30",
					"80,000 due, your handlers need 14 min");
			assertThat(browser.read("main")).contains("95 a second", "1,000 scheduled messages are due later",
					"7 of all that live have failed", "Of 2 recurring messages", "Asia/",
					"The clock of this device is");
			assertThat(browser.read("section[aria-labelledby='s-how-to-read-this']")).contains("3 messages are ready");
			assertThat(browser.all("a.bar.over")).hasSize(1);
			browser.click("summary", "As a table");
			assertThat(browser.texts("tbody tr").get(2)).contains("10", "2 h", "1 h");
			browser.script("document.querySelector('a.bar').focus()");
			browser.driver().switchTo().activeElement().sendKeys(Keys.ARROW_RIGHT);
			browser.driver().switchTo().activeElement().sendKeys(Keys.ENTER);
			browser.see("section[aria-labelledby='bar-title']", "80,000");
			assertThat(browser.read("a.bar[aria-current]")).isNotNull();
			browser.click("section[aria-labelledby='bar-title'] button", "Spread");
			assertThat(browser.read("dialog[open]")).contains("Spread 80,000 messages?", "due at or after",
					"80,000 messages at 95", "a second take about 14 min");
			assertThat(browser.script(
					"return ['from', 'spread', 'perSecond'].map(name => document.getElementById(`dialog-${name}`).value)"))
				.isEqualTo(List.of("2036-05-04T12:40", "18m", "1334"));
			browser.click("dialog[open] button", "Back");
			browser.click("section[aria-labelledby='bar-title'] button", "Reschedule");
			browser.see("dialog[open]", "80,000 messages at 1,334 a second take about 1 min");
			browser.click("dialog[open] button", "Back");
			this.server.answer("queues/receipts/calendar",
					calendar.formatted("false", "\"perSecond\": 95.2,").replace("80000", "90000000"));
			browser.open(this.server.url("/queues/receipts/calendar?until=2036-05-04T08:00:00Z"));
			for (String button : List.of("Spread", "Reschedule")) {
				browser.click("section[aria-labelledby='bar-title'] button", button);
				browser.see("dialog[open]", button + " 90,000,000 messages?");
				assertThat(browser.see("#dialog-perSecond").getAttribute("value")).as("more is refused")
					.isEqualTo("100000");
				browser.click("dialog[open] button", "Back");
			}
			this.server.answer("queues/receipts/calendar", calendar.formatted("true", ""));
			browser.open(this.server.url("/queues/receipts/calendar?until=2036-05-04T05:00:00Z"));
			browser.see("main", "The queue is paused: how long handlers need is not known.");
			browser.see("main", "The time of the bar that was chosen is over");
			this.server.write(false);
			browser.open(this.server.url("/queues/receipts/calendar?until=2036-05-04T08:00:00Z"));
			browser.see("section[aria-labelledby='bar-title'] a.button");
			assertThat(browser.all("section[aria-labelledby='bar-title'] button")).isEmpty();
			this.server.answer("queues/receipts/calendar", 400, "application/json",
					"{\"error\": \"bad-parameter\", \"parameter\": \"zone\", \"message\": \"no such zone\"}");
			long asked = asked("queues/receipts/calendar");
			browser.open(this.server.url("/queues/receipts/calendar"));
			browser.see("main", "no such zone");
			assertThat(asked("queues/receipts/calendar") - asked).as("by its name and by its offset")
				.isGreaterThanOrEqualTo(2);
			assertThat(browser.complaints()).allMatch((text) -> text.contains("400"));
		}
		finally {
			browser.command("Emulation.setTimezoneOverride", Map.of("timezoneId", ""));
		}
	}

	@Test
	void anEmptyStateLeadsToTheMessagesThatThereAre() {
		this.server.answer("queues/receipts/messages",
				"{\"messages\": [], \"page\": 0, \"size\": 50, \"hasNext\": false}");
		browser.open(this.server.url("/queues/receipts/messages?state=COMPLETED"));
		browser.see("main .none", "No message is completed. There are");
		browser.click("main .none a", "dead");
		browser.see("main .none", "No message is dead. There are");
	}

	@Test
	void searchStopsAfterSomeStepsAndGoesOnWhenAsked() {
		this.server.answer("queues/receipts/messages",
				"{\"messages\": [%s], \"examined\": 1000, \"cursor\": \"c\", \"complete\": false}"
					.formatted(DEAD.formatted("")));
		browser.open(this.server.url("/queues/receipts/messages?header=channel:web"));
		browser.see(".pager button", "Go on");
		assertThat(browser.read(".found")).isEqualTo("1 message found among 21,000 so far.");
		long steps = asked("queues/receipts/messages");
		assertThat(steps).isEqualTo(21);
		this.server.answer("queues/receipts/messages", "{\"messages\": [%s], \"examined\": 5, \"complete\": true}"
			.formatted(DEAD.formatted("").replace("\"u1\"", "\"u2\"")));
		browser.click(".pager button", "Go on");
		browser.see(".found", "2 messages found among 21,005; all were looked at.");
		assertThat(asked("queues/receipts/messages")).isEqualTo(22);
	}

	@Test
	void searchIsAnAddressThatCanBeGoneBackFrom() {
		this.server.answer("queues/receipts/messages",
				"{\"messages\": [], \"examined\": 0, \"complete\": true, \"page\": 0, \"size\": 50, \"hasNext\": false}");
		browser.open(this.server.url("/queues/receipts/messages"));
		browser.see("#search-by").sendKeys("Tag");
		WebElement value = browser.see("#search-value");
		value.sendKeys("order:7\n");
		browser.see(".chips", "tag order:7");
		assertThat(browser.driver().getCurrentUrl()).endsWith("#/queues/receipts/messages?tag=order%3A7");
		browser.driver().navigate().back();
		browser.seeNo(".chips");
	}

	@ParameterizedTest
	@ValueSource(strings = { "messages?tag=a", "messages/u1", "dead", "running", "jobs", "recurring" })
	void aUserWithoutTheRightToWriteSeesNoButtons(String view) {
		this.server.write(false);
		this.server.answer("queues/receipts/messages",
				"{\"messages\": [%s], \"examined\": 1, \"complete\": true}".formatted(DEAD.formatted("")));
		this.server.answer("queues/receipts/messages/u1", FULL);
		this.server.answer("queues/receipts/causes", CAUSES);
		this.server.answer("queues/receipts/running",
				"{\"messages\": [%s], \"page\": 0, \"size\": 50, \"hasNext\": false}"
					.formatted(DEAD.formatted("").replace("\"DEAD\"", "\"IN_FLIGHT\"")));
		this.server.answer("queues/receipts/jobs",
				"{\"jobs\": [%s], \"page\": 0, \"size\": 50, \"hasNext\": false}".formatted(JOB.formatted("RUNNING")));
		this.server.answer("queues/receipts/recurring",
				"""
						{"time": "2026-01-01T10:00:00Z", "recurring": [{"queue": "receipts", "name": "nightly", "schedule": "0 0 2 * * *",
						 "missed": "SKIP", "overlap": "SKIP", "declaredByApi": false, "declaredBy": "shop-1", "paused": false,
						 "nextRuns": ["2026-01-02T02:00:00Z"], "running": []}]}""");
		browser.open(this.server.url("/queues/receipts/" + view));
		browser.see("tbody tr, .timeline, .cause");
		assertThat(browser.all("main button"))
			.filteredOn(button -> !button.getText().equals("Search") && !button.getText().equals("Copy"))
			.isEmpty();
	}

	private String posted(String path) {
		return this.server.asked()
			.stream()
			.filter(asked -> asked.method().equals("POST") && asked.path().equals(path))
			.map(PageServer.Asked::body)
			.reduce((one, another) -> another)
			.orElseThrow();
	}

	private long asked(String path) {
		return this.server.asked().stream().filter(asked -> asked.path().equals(path)).count();
	}

}
