package io.redelay.management;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import io.redelay.test.browser.Browser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The shell of the dashboard and the views of queues and instances, in a browser, with
 * answers of the tests.
 */
class DashboardPageIntegrationTests {

	@RegisterExtension
	static final Browser browser = new Browser();

	@RegisterExtension
	final PageServer server = new PageServer();

	@Test
	void queuesShowTheirDiagnosisInWords() {
		browser.open(this.server.url("/"));
		assertThat(browser.read("h1")).isEqualTo("Queues");
		assertThat(browser.read(".lead")).isEqualTo("17 queues: 1 stopped, 2 behind, 1 with a warning.");
		assertThat(browser.read("tbody tr")).contains("price-imports", "Stopped", "No instance listens", "312",
				"oldest 2 h");
		assertThat(browser.texts("tbody tr:first-child .summary")).as("the figures are in the row already")
			.containsExactly("No instance listens");
		assertThat(browser.texts("tbody tr:last-child .summary")).as("the badge says it").isEmpty();
		assertThat(browser.all("tbody tr:first-child svg .spark-line")).hasSize(4);
	}

	@Test
	void namesAndMessagesOfOthersAreText() {
		this.server.answer("queues/<img src=x onerror=hacked=1>", PageServer.resource("queue.json"));
		browser.open(this.server.url("/"));
		browser.see(".summary", "<script>hacked=1</script>");
		browser.click("tbody a", "<img src=x onerror=hacked=1>");
		assertThat(browser.see("main h1", "<img").getText()).isEqualTo("<img src=x onerror=hacked=1>");
		browser.see(".findings", "no answer from mx1 <script>hacked=1</script>");
		browser.see("canvas");
		assertThat(browser.script("return window.hacked")).isNull();
		assertThat(browser.script("return document.querySelectorAll('main script, main img').length")).isEqualTo(0L);
		assertThat(browser.complaints()).isEmpty();
	}

	@Test
	void policyForbidsScriptsThatAreNotFilesOfThePage() {
		browser.open(this.server.url("/"));
		browser.see("tbody tr");
		assertThat(browser.complaints()).isEmpty();
		browser
			.script("""
					const script = document.createElement('script');
					script.textContent = 'window.hacked = 1';
					document.body.append(script);
					document.body.insertAdjacentHTML('beforeend', '<p onclick="window.hacked = 1" style="color: red">x</p>');
					document.body.lastChild.click();
					""");
		assertThat(browser.script("return window.hacked")).isNull();
		assertThat(browser.complaints()).hasSizeGreaterThanOrEqualTo(3)
			.allMatch(text -> text.contains("Content Security Policy"));
	}

	@Test
	void refreshTakesNeitherFocusNorScrollNorWhatWasTyped() throws Exception {
		try (AutoCloseable fast = browser.fastTimers()) {
			browser.open(this.server.url("/"));
			browser.see("tbody tr");
			browser.script("""
					const row = document.querySelectorAll('tbody a')[6];
					row.focus();
					window.scrollTo(0, 300);
					window.row = row;
					document.getElementById('filter-name').value = 'half';
					""");
			Object scroll = browser.script("return window.scrollY");
			assertThat((Number) scroll).matches(y -> y.intValue() > 0);
			// The last queue comes into trouble and is the first one then; the others
			// move down by one.
			this.server.answer("queues", PageServer.resource("queues.json")
				.replaceFirst("\"queues\": \\[",
						"\"queues\": [{\"queue\": \"new-one\", \"status\": \"BEHIND\", \"summary\": \"It is new.\", "
								+ "\"ready\": 1, \"dead\": 0, \"spark\": {}},"));
			browser.see("tbody tr", "new-one");
			assertThat(browser.script("return document.activeElement === window.row && window.row.isConnected"))
				.isEqualTo(true);
			assertThat(browser.script("return document.getElementById('filter-name').value")).isEqualTo("half");
			assertThat(((Number) browser.script("return window.scrollY")).intValue())
				.as("the browser may keep the row in place, the page does not jump to its head")
				.isGreaterThanOrEqualTo(((Number) scroll).intValue());
		}
	}

	@Test
	void hiddenPageAsksForNothing() throws Exception {
		try (AutoCloseable fast = browser.fastTimers()) {
			browser.open(this.server.url("/"));
			browser.see("tbody tr");
			await().until(() -> this.server.asked().size() > 2);
			browser.script("Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })");
			int hidden = settled();
			browser.script("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))");
			await().until(() -> this.server.asked().size() > hidden + 2);
		}
	}

	@Test
	void updatesCanBeHeld() throws Exception {
		try (AutoCloseable fast = browser.fastTimers()) {
			browser.open(this.server.url("/"));
			browser.see("tbody tr");
			WebElement hold = browser.see("#pause");
			hold.click();
			assertThat(hold.getAttribute("aria-pressed")).isEqualTo("true");
			int held = settled();
			hold.click();
			await().until(() -> this.server.asked().size() > held + 2);
		}
	}

	/**
	 * Waits until nothing was asked for a second, in which a page that refreshes asks ten
	 * times, and returns how often was asked before.
	 */
	private int settled() {
		AtomicInteger before = new AtomicInteger(-1);
		await().pollInterval(Duration.ofSeconds(1)).until(() -> {
			int now = this.server.asked().size();
			return before.getAndSet(now) == now;
		});
		return before.get();
	}

	@Test
	void aUserWithoutTheRightToWriteSeesNoButtons() {
		this.server.write(false);
		browser.open(this.server.url("/queues/receipts"));
		browser.see("canvas");
		assertThat(browser.all("main button")).isEmpty();
	}

	@Test
	void pauseAsksFirstAndSendsTheToken() {
		this.server.answer("queues/receipts/pause", "{}");
		browser.open(this.server.url("/queues/receipts"));
		WebElement pause = browser.see("main button", "Pause");
		pause.sendKeys(Keys.ENTER);
		WebElement dialog = browser.see("dialog[open]");
		assertThat(dialog.getText()).contains("Pause receipts?", "What runs goes on");
		for (int i = 0; i < 5; i++) {
			browser.driver().switchTo().activeElement().sendKeys(Keys.TAB);
			assertThat(browser.script(
					"return document.activeElement === document.body || document.querySelector('dialog').contains(document.activeElement)"))
				.isEqualTo(true);
		}
		browser.driver().switchTo().activeElement().sendKeys(Keys.ESCAPE);
		browser.seeNo("dialog");
		assertThat(browser.driver().switchTo().activeElement().getText()).isEqualTo("Pause");
		assertThat(this.server.asked()).noneMatch(asked -> asked.method().equals("POST"));

		browser.driver().switchTo().activeElement().sendKeys(Keys.ENTER);
		browser.click("dialog[open] button.primary");
		browser.see("#live", "receipts is paused.");
		assertThat(this.server.asked()).filteredOn(asked -> asked.method().equals("POST"))
			.singleElement()
			.satisfies(asked -> {
				assertThat(asked.path()).isEqualTo("queues/receipts/pause");
				assertThat(asked.token()).isEqualTo("a token");
			});
	}

	@Test
	void refusalIsReportedInTheWordsOfTheServer() {
		this.server.answer("queues/receipts/pause", 403, "application/json",
				"{\"status\": 403, \"error\": \"forbidden\", \"message\": \"Role OPERATOR is needed to pause.\"}");
		browser.open(this.server.url("/queues/receipts"));
		browser.click("main button", "Pause");
		browser.click("dialog[open] button.primary");
		browser.see("#live", "Role OPERATOR is needed to pause.");
		browser.see(".toast.failed", "Role OPERATOR is needed to pause.");
	}

	@Test
	void failedRefreshIsReportedAndWhatWasShownStays() throws Exception {
		try (AutoCloseable fast = browser.fastTimers()) {
			browser.open(this.server.url("/"));
			browser.see("tbody tr");
			this.server.answer("queues", 503, "application/json",
					"{\"status\": 503, \"error\": \"unavailable\", \"message\": \"Redis does not answer.\"}");
			browser.see("#trouble", "Redis does not answer.");
			browser.see("#stale", "What is shown is");
			browser.see("main.stale tbody tr", "price-imports");
			this.server.answer("queues", 200, "text/html", "<form>Sign in</form>");
			browser.see("#trouble", "Load the page again to sign in.");
			this.server.answer("queues", PageServer.resource("queues.json"));
			browser.seeNo("#trouble");
			browser.seeNo("#stale");
			browser.seeNo("main.stale");
		}
	}

	@Test
	void theOverviewShowsWhatIsScheduledAndWhatCouldNotBeRead() {
		this.server.answer("queues",
				PageServer.resource("queues.json")
					.replaceFirst("\\{", "{\"failed\": [\"old <b>\", \"broken\"], ")
					.replaceFirst("\"scheduled\": \\d+", "\"scheduled\": 12, \"nextDue\": \"2999-01-01T00:00:00Z\""));
		browser.open(this.server.url("/"));
		assertThat(browser.read("tbody td.scheduled")).matches("(?s)12\\s+next in .*");
		assertThat(browser.read("main .unread")).matches("Could not be read\\s+old <b>, broken\\. Figures are old .*");
	}

	@Test
	void unknownQueueAndUnknownAddressLeadBackToTheQueues() {
		browser.open(this.server.url("/queues/nope"));
		browser.see("main p", "There is no queues/nope.");
		browser.open(this.server.url("/nothing/of/this"));
		browser.see("main h1", "No such page");
		browser.click("main a", "Go to the queues");
		browser.see("tbody tr", "price-imports");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/queues/..", "/queues/../messages/..", "/topics/.", "/queues/%2E%2E/dead" })
	void anAddressDoesNotLeadOutOfTheEndpoint(String view) {
		browser.open(this.server.url(view));
		browser.see("main p", "Nothing can be named");
		assertThat(this.server.asked()).isEmpty();
		assertThat(browser.complaints()).isEmpty();
	}

	@Test
	void currentTabIsInSightOnAPhone() {
		this.server.answer("queues/receipts/jobs", "{\"jobs\": [], \"page\": 0, \"size\": 50, \"hasNext\": false}");
		browser.phone();
		browser.open(this.server.url("/queues/receipts/jobs"));
		browser.see("main .none", "No jobs in the last day");
		assertThat((Number) browser.script("""
				return document.querySelector('.tabs [aria-current]').getBoundingClientRect().right;
				""")).satisfies((right) -> assertThat(right.doubleValue()).isBetween(1.0, 360.0));
	}

	@Test
	void lockReportsHowManyWaitThoughNotAllAreShown() {
		String waiters = "{\"name\": \"shop-1\", \"instance\": \"i\"}, ".repeat(99)
				+ "{\"name\": \"shop-2\", \"instance\": \"j\"}";
		this.server.answer("locks",
				"""
						{"time": "2026-01-01T10:00:00Z", "total": 1, "page": 0, "size": 50, "hasNext": false, "locks": [{"name": "stock",
						 "type": "FAIR_LOCK", "held": 1, "awaited": 1234, "holders": [{"name": "shop-1", "instance": "i"}], "waiters": [%s]}]}
						"""
					.formatted(waiters));
		browser.open(this.server.url("/locks"));
		browser.see("tbody .badge", "1,234 wait");
		browser.click("tbody summary", "1,229 more");
		browser.see("tbody li", "1,134 of them are not shown");
	}

	@Test
	void viewWhoseFilesDidNotComeIsShownWhenTheServerIsBack() throws Exception {
		this.server.answer("redelay/instances.js", 503, "text/plain", "The server starts.");
		try (AutoCloseable fast = browser.fastTimers()) {
			browser.open(this.server.url("/"));
			browser.see("tbody tr");
			browser.click("#nav a", "Instances");
			browser.see("#trouble", "The server does not answer");
			this.server.answerAsAlways("redelay/instances.js");
			browser.see("main h1", "Instances");
			browser.seeNo("#trouble");
		}
	}

	@Test
	void newTroubleIsAnnounced() throws Exception {
		try (AutoCloseable fast = browser.fastTimers()) {
			browser.open(this.server.url("/queues/receipts"));
			browser.see("canvas");
			this.server.answer("queues/receipts",
					PageServer.resource("queue.json")
						.replace("\"RETRY_BACKLOG\"", "\"REDIS_SLOW\"")
						.replaceFirst("\"summary\": \"[^\"]*\"", "\"summary\": \"Redis is slow.\""));
			browser.see("#live", "Redis is slow.");
		}
	}

	@Test
	void chartsHaveTheirFiguresAsTextAndAsATable() {
		browser.open(this.server.url("/queues/receipts"));
		browser.see("canvas");
		assertThat(browser.see(".plot[role=img]").getAttribute("aria-label"))
			.startsWith("Messages a minute in the last hour. Handled:")
			.contains("on average, highest");
		browser.click(".as-table summary");
		assertThat(browser.all(".as-table[open] tbody tr")).hasSize(12);
	}

	@Test
	void theLastSixtySecondsStandInPlaceOfTheRunningMinute() {
		String handled = "0, ".repeat(58) + "60, 20";
		this.server.answer("queues/receipts",
				PageServer.resource("queue.json")
					.replaceFirst("\"time\": \"[^\"]*\"", "\"time\": \"2026-11-23T12:59:30Z\"")
					.replaceFirst("\"from\": \"[^\"]*\"", "\"from\": \"2026-11-23T12:00:00Z\"")
					.replaceFirst("\"handled\": \\[[^]]*]",
							"\"handled\": [" + handled + "], \"lastMinute\": {\"handled\": 53}"));
		browser.open(this.server.url("/queues/receipts"));
		assertThat(browser.see(".legend li", "Handled").getText()).isEqualTo("Handled 53");
	}

	@Test
	void keyboardReachesTheContentFirst() {
		browser.open(this.server.url("/"));
		browser.see("tbody tr");
		browser.see("body").sendKeys(Keys.TAB);
		WebElement skip = browser.driver().switchTo().activeElement();
		assertThat(skip.getText()).isEqualTo("Skip to the content");
		assertThat(skip.isDisplayed()).isTrue();
		skip.sendKeys(Keys.ENTER);
		assertThat(browser.driver().switchTo().activeElement().getAttribute("id")).isEqualTo("main");
		assertThat(browser.driver().getCurrentUrl()).endsWith("#/");
	}

	@Test
	void chosenThemeStays() {
		browser.prefersDark();
		browser.open(this.server.url("/"));
		WebElement theme = browser.see("#theme");
		String dark = background();
		theme.click();
		assertThat(background()).as("light").isNotEqualTo(dark);
		browser.open(this.server.url("/"));
		browser.see("tbody tr");
		assertThat(background()).as("light, loaded again").isNotEqualTo(dark);
		browser.click("#theme");
		assertThat(background()).as("dark by choice").isEqualTo(dark);
	}

	private static String background() {
		return (String) browser.script("return getComputedStyle(document.body).backgroundColor");
	}

	@ParameterizedTest
	@CsvSource({ "1366, 768, 15", "1024, 768, 6", "390, 844, 6" })
	void soManyQueuesAreOnAScreen(int width, int height, int queues) {
		browser.command("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 500));
		browser.open(this.server.url("/"));
		browser.see(".part");
		browser.see("tbody tr");
		browser.until(queues + " queues in sight", () -> (Long) browser.script("""
				return Array.from(document.querySelectorAll('tbody tr'))
				    .filter(row => row.getBoundingClientRect().bottom <= window.innerHeight).length;
				""") >= queues);
		assertThat((Long) browser.script("return document.documentElement.scrollWidth")).as("nothing hangs over")
			.isLessThanOrEqualTo(width);
	}

	@ParameterizedTest
	@CsvSource({ "'', with @QueueListener: its queue appears here", "?name=x, No queue has “x” in its name",
			"?show=dead, No queue is here with dead letters" })
	void anEmptyListSaysWhatToDoNext(String query, String words) {
		this.server.answer("queues", """
				{"time": "2026-11-23T04:21:21Z", "total": 0, "page": 0, "size": 50, "hasNext": false, "warnings": 0,
				 "states": {"OK": 0, "BUSY": 0, "BEHIND": 0, "STOPPED": 0}, "queues": []}""");
		browser.open(this.server.url("/" + query));
		browser.see("main .none", words);
		assertThat(browser.all("main .none a")).hasSize(query.isEmpty() ? 0 : 1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/", "/queues/receipts", "/instances", "/queues/nope" })
	void fitsAPhone(String view) {
		browser.phone();
		browser.open(this.server.url(view));
		browser.see("main h1");
		assertThat(browser.script("return document.documentElement.scrollWidth")).isEqualTo(360L);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/queues/receipts", "/queues/nope" })
	void nothingKeepsReadersOut(String view) {
		browser.open(this.server.url(view));
		browser.see("main h1");
		assertThat(browser.barriers()).as("light").isEmpty();
		browser.prefersDark();
		assertThat(browser.barriersToTheEye()).as("dark").isEmpty();
	}

	@Test
	void firstLoadWeighsLittle() {
		browser.open(this.server.url("/"));
		browser.see("tbody tr");
		@SuppressWarnings("unchecked")
		List<Map<String, Object>> files = (List<Map<String, Object>>) browser.script("""
				return performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
				    .map(({ name, decodedBodySize }) => ({ name, size: decodedBodySize }));
				""");
		assertThat(files).hasSizeBetween(10, 25);
		assertThat(files.stream().mapToLong(file -> ((Number) file.get("size")).longValue()).sum()).isBetween(50_000L,
				200_000L);
	}

}
