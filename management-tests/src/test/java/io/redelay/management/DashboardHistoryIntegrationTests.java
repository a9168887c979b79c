package io.redelay.management;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.redelay.test.browser.Browser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.interactions.Actions;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The history of a queue on the dashboard, in a browser, with answers of the tests.
 */
class DashboardHistoryIntegrationTests {

	private static final String HISTORY = "queues/receipts/history";

	private static final String MONTH = history("2026-10-23T08:00:00Z", Duration.ofHours(4), 186, """
			{"time": "2026-11-10T11:00:00Z", "kind": "REDIS_WENT_BACK"},
			{"time": "2026-11-22T09:00:00Z", "kind": "DEPLOYED", "instance": "<img src=x onerror=hacked=1>",
			 "application": "shop", "version": "1.3.0", "detail": "1.2.0"},
			{"time": "2026-11-22T09:00:30Z", "kind": "INSTANCE_STOPPED", "instance": "shop-1"},
			{"time": "2026-11-22T21:00:00Z", "kind": "JOB_STARTED", "instance": "shop-2", "detail": "REDRIVE"}""");

	private static final String DAY = history("2026-11-22T08:15:00Z", Duration.ofMinutes(15), 96, """
			{"time": "2026-11-22T21:00:00Z", "kind": "PAUSED", "instance": "shop-2"}""");

	@RegisterExtension
	static final Browser browser = new Browser();

	@RegisterExtension
	final PageServer server = new PageServer();

	private static String history(String from, Duration step, int steps, String marks) {
		String values = IntStream.range(0, steps).mapToObj(String::valueOf).collect(Collectors.joining(","));
		return """
				{"from": "%s", "stepMillis": %d, "sent": [V], "handled": [V], "failed": [V], "dead": [V], "waits": [V],
				 "waitMillis": [V], "runs": [V], "handlingMillis": [V], "depth": [V], "marks": [%s]}
				""".formatted(Instant.parse(from), step.toMillis(), marks).replace("[V]", "[" + values + "]");
	}

	/**
	 * The history ends on 2026-11-23 at 8:00 in UTC, which is 13:30 in India.
	 */
	@Test
	void aMonthIsShownWithItsMarksAndOpenedUpToTheMinutes() {
		browser.command("Emulation.setTimezoneOverride", Map.of("timezoneId", "Asia/Kolkata"));
		try {
			this.server.answer(HISTORY, MONTH);
			browser.open(this.server.url("/queues/receipts"));
			browser.see(".history .legend", "Handled");
			browser.click(".history .choices a", "Last month");
			browser.see(".chart h2", "Messages each 4 hours");
			browser.see(".legend", "Handled 17,205");
			browser.see(".history-marks summary", "4 marks");
			assertThat(browser.texts(".history-marks li")).first().asString().contains("4", "shop-2", "redrive");
			assertThat(browser.texts(".history-marks li").get(2)).contains("2", "shop 1.3.0 came after 1.2.0",
					"<img src=x onerror=hacked=1>", "Nov 22, 2026, 2:30:00");
			assertThat(browser.script("return window.hacked")).isNull();
			assertThat(browser.see(".plot").getAttribute("aria-label")).contains("in the last month", "4 marks",
					"Nov 23");
			browser.see("canvas");
			assertThat(browser.barriers()).isEmpty();
			browser.click(".history .as-table summary");
			WebElement today = browser.all(".history figure:first-of-type tbody th a").get(31);
			assertThat(today.getText()).isEqualTo("Mon, Nov 23");
			this.server.answer(HISTORY, DAY);
			today.sendKeys(Keys.ENTER);
			browser.see(".history-part", "Mon, Nov 23, 12:00");
			assertThat(hash()).contains("span=DAY", "from=2026-11-22T18%3A30%3A00.000Z");
			browser.see(".chart h2", "Messages each 15 minutes");
			assertThat(browser.texts(".history-marks li")).singleElement().asString().contains("The queue was paused");
			assertThat(browser.barriers()).isEmpty();
			browser.click(".history-part a", "Whole day");
			browser.seeNo(".history-part");
			WebElement over = browser.see(".u-over");
			new Actions(browser.driver()).moveToElement(over, -100, 0)
				.clickAndHold()
				.moveByOffset(60, 0)
				.moveByOffset(60, 0)
				.release()
				.perform();
			browser.see(".history-part");
			assertThat(hash()).contains("from=").contains("to=").contains("span=DAY");
			browser.click(".history .choices a", "Last month");
			browser.seeNo(".history-part");
			browser.see(".chart h2", "Messages each 4 hours");
			new Actions(browser.driver()).moveToElement(browser.see(".u-over")).click().perform();
			browser.see(".history-part", "12:00");
			assertThat(hash()).contains("T18%3A30%3A00.000Z");
			assertThat(browser.complaints()).isEmpty();
		}
		finally {
			browser.command("Emulation.setTimezoneOverride", Map.of("timezoneId", ""));
		}
	}

	/**
	 * In Berlin no day begins with a step of four hours.
	 */
	@Test
	void aPartHasTheStepsOfItsRowAndSaysWhenTheyBegin() {
		browser.command("Emulation.setTimezoneOverride", Map.of("timezoneId", "Europe/Berlin"));
		try {
			this.server.answer(HISTORY, MONTH);
			browser.open(this.server.url("/queues/receipts?span=MONTH"));
			browser.click(".history .as-table summary");
			WebElement row = browser.all(".history figure:first-of-type tbody tr").get(10);
			assertThat(row.getText()).startsWith("Mon, Nov 2");
			String handled = row.findElement(By.tagName("td")).getText();
			row.findElement(By.tagName("a")).sendKeys(Keys.ENTER);
			browser.see(".history-part", "Mon, Nov 2, 1:00");
			browser.see(".history-part", "Tue, Nov 3, 1:00");
			browser.see(".history .legend li", "Handled " + handled);
			browser.open(this.server
				.url("/queues/receipts?span=MONTH&from=2026-11-02T10:00:00.000Z&to=2026-11-02T10:05:00.000Z"));
			browser.see(".history-part", "Mon, Nov 2, 9:00");
			browser.see(".history-part", "Mon, Nov 2, 1:00");
			browser.see(".history .legend li", "Handled 60");
		}
		finally {
			browser.command("Emulation.setTimezoneOverride", Map.of("timezoneId", ""));
		}
	}

	@Test
	void aMarkOfTheLastStepHasItsLine() {
		this.server.answer(HISTORY, history("2026-10-23T08:00:00Z", Duration.ofHours(4), 186, """
				{"time": "2026-11-23T07:00:00Z", "kind": "DEPLOYED", "instance": "shop-2", "application": "shop",
				 "version": "1.3.0", "detail": "1.2.0"}"""));
		this.server.answer("queues/receipts", PageServer.resource("queue.json"));
		browser.open(this.server.url("/queues/receipts"));
		browser.see("canvas");
		browser.script("""
				window.drawn = [];
				const fill = CanvasRenderingContext2D.prototype.fillText;
				CanvasRenderingContext2D.prototype.fillText = function(text, ...place) {
				  window.drawn.push(text);
				  return fill.call(this, text, ...place);
				}""");
		browser.click(".history .choices a", "Last month");
		browser.see(".history-marks li", "shop 1.3.0 came after 1.2.0");
		browser.until("the charts are drawn",
				() -> String.valueOf(browser.script("return window.drawn.join()")).contains("Nov"));
		assertThat(browser.script("return window.drawn.filter(text => text === '1').length")).isNotEqualTo(0L);
	}

	/**
	 * All handlings of the second step failed, so that nothing was acknowledged.
	 */
	@Test
	void meansAreOfAllThatWasMeasured() {
		this.server.answer(HISTORY,
				"""
						{"from": "2026-11-22T08:15:00Z", "stepMillis": 900000, "sent": [1, 1], "handled": [1, 0], "failed": [0, 99],
						 "dead": [0, 0], "waits": [1, 9], "waitMillis": [100, 200], "runs": [1, 99], "handlingMillis": [100, 300],
						 "depth": [0, 0], "marks": []}""");
		browser.open(this.server.url("/queues/receipts?span=DAY"));
		browser.see(".legend", "Wait for a handler 190 ms");
		browser.see(".legend", "Handling 298 ms");
	}

	@Test
	void anHourIsShownAsBeforeAndWithItsMarks() {
		this.server.answer("queues/receipts",
				PageServer.resource("queue.json")
					.replaceFirst("\"history\": \\{", "\"history\": {\"marks\": [{\"time\": \"2026-11-23T04:00:10Z\","
							+ " \"kind\": \"INSTANCE_SILENT\", \"instance\": \"shop-1\"}],"));
		browser.open(this.server.url("/queues/receipts"));
		browser.see(".history-marks li", "shop-1 was not heard of any more");
		browser.see(".chart h2", "Messages a minute");
		assertThat(browser.texts(".history .choices a[aria-current]")).isEqualTo(List.of("Last hour"));
		assertThat(this.server.asked()).noneMatch((asked) -> asked.path().equals(HISTORY));
		assertThat(browser.barriers()).isEmpty();
	}

	/**
	 * Makes the picture of the guide: {@code ./mvnw -pl management-tests -am verify
	 * -Dit.test='DashboardHistoryIntegrationTests#picture' -Dsurefire.failIfNoSpecifiedTests=false
	 * -Ddashboard.history=../docs/src/docs/asciidoc/images}.
	 */
	@Test
	@EnabledIfSystemProperty(named = "dashboard.history", matches = ".+")
	void picture() throws IOException {
		this.server.answer(HISTORY,
				MONTH.replace("<img src=x onerror=hacked=1>", "shop-2")
					.replaceFirst("\"sent\": \\[[^]]*]", "\"sent\": " + wave(2_000, 0))
					.replaceFirst("\"handled\": \\[[^]]*]", "\"handled\": " + wave(1_900, 0))
					.replaceFirst("\"failed\": \\[[^]]*]", "\"failed\": " + wave(20, 60))
					.replaceFirst("\"dead\": \\[[^]]*]", "\"dead\": " + wave(2, 12))
					.replaceFirst("\"depth\": \\[[^]]*]", "\"depth\": " + wave(40, 900))
					.replaceFirst("\"waitMillis\": \\[[^]]*]", "\"waitMillis\": " + wave(120, 700))
					.replaceFirst("\"handlingMillis\": \\[[^]]*]", "\"handlingMillis\": " + wave(80, 0)));
		browser.command("Emulation.setDeviceMetricsOverride",
				Map.of("width", 1180, "height", 900, "deviceScaleFactor", 1, "mobile", false));
		browser.command("Emulation.setScrollbarsHidden", Map.of("hidden", true));
		browser.open(this.server.url("/queues/receipts?span=MONTH"));
		browser.see("canvas");
		browser.see(".history-marks");
		browser.script("document.querySelector('.history').scrollIntoView()");
		Files.write(Path.of(System.getProperty("dashboard.history"), "dashboard-history.png"),
				browser.driver().getScreenshotAs(OutputType.BYTES));
	}

	/**
	 * Six steps a day, less at night and at the end of a week, and a peak before the
	 * instances were replaced.
	 */
	private static String wave(int height, int peak) {
		return IntStream.range(0, 186).mapToObj((i) -> {
			double day = 0.55 + 0.45 * Math.sin(i * Math.PI / 3 - 1) - ((i / 6 % 7 > 4) ? 0.25 : 0);
			double more = (i >= 174 && i < 181) ? peak * (i - 173) / 7.0 : 0;
			return String.valueOf(Math.round(Math.max(0.05, day) * height * (1 + i % 5 / 20.0) + more));
		}).collect(Collectors.joining(",", "[", "]"));
	}

	private static String hash() {
		return String.valueOf(browser.script("return location.hash"));
	}

}
