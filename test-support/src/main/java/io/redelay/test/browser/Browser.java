package io.redelay.test.browser;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Function;

import org.awaitility.core.ConditionFactory;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.openqa.selenium.By;
import org.openqa.selenium.NoSuchSessionException;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.remote.UnreachableBrowserException;

import static org.awaitility.Awaitility.await;

/**
 * The Chromium of this machine without a window, one for all tests of a JVM. Tests are
 * skipped where none is installed; one that dies fails the test that used it, and is
 * replaced for the next. Each test begins signed out, at the width of a desktop, in the
 * light theme, with nothing in the local storage. The page of a test that fails is kept
 * in {@code target/screenshots}.
 */
public final class Browser implements BeforeAllCallback, BeforeEachCallback, AfterTestExecutionCallback {

	/**
	 * How long something may take: a machine may have much else to do.
	 */
	public static final Duration PATIENCE = Duration.ofMinutes(2);

	/**
	 * A look at the page takes the processor from the page.
	 */
	private static final Duration POLL = Duration.ofMillis(100);

	private static final Path SCREENSHOTS = Path.of("target", "screenshots");

	/**
	 * The first element that is shown and has the text.
	 */
	private static final String FIND = """
			const [selector, text] = arguments;
			for (const each of document.querySelectorAll(selector)) {
			  if (each.checkVisibility({ visibilityProperty: true }) && each.getClientRects().length > 0
			      && (text === null || (each.innerText ?? each.textContent).includes(text))) {
			    return each;
			  }
			}
			return null;
			""";

	private @Nullable Chromium chromium;

	@Override
	public void beforeAll(ExtensionContext context) {
		this.chromium = context.getRoot()
			.getStore(ExtensionContext.Namespace.create(Browser.class))
			.computeIfAbsent(Chromium.class, (type) -> Chromium.start(), Chromium.class);
	}

	@Override
	public void beforeEach(ExtensionContext context) {
		chromium().ensureRunning();
		driver().get("about:blank");
		command("Emulation.clearDeviceMetricsOverride", Map.of());
		command("Emulation.setEmulatedMedia", Map.of("features", List.of()));
		command("Storage.clearDataForOrigin", Map.of("origin", "*", "storageTypes", "all"));
		command("Network.clearBrowserCookies", Map.of());
		complaints();
	}

	@Override
	public void afterTestExecution(ExtensionContext context) throws IOException {
		Throwable failure = context.getExecutionException().orElse(null);
		if (failure != null) {
			try {
				screenshot(SCREENSHOTS.resolve(context.getRequiredTestClass().getSimpleName() + "-"
						+ context.getRequiredTestMethod().getName()));
			}
			catch (WebDriverException ex) {
				failure.addSuppressed(ex);
			}
		}
	}

	private Chromium chromium() {
		return Objects.requireNonNull(this.chromium, "@RegisterExtension makes the browser start");
	}

	/**
	 * The driver of the browser.
	 * @return the driver, another one for each test if the browser died
	 */
	public ChromeDriver driver() {
		return chromium().driver();
	}

	/**
	 * Loads a page anew, also if only its fragment is another one.
	 * @param url the address of the page
	 */
	public void open(String url) {
		driver().get("about:blank");
		driver().get(url);
	}

	/**
	 * Has timers of the page, which are of five seconds, end after a tenth of a second,
	 * from the next page on.
	 * @return ends that, from the next page on
	 */
	public AutoCloseable fastTimers() {
		Object id = command("Page.addScriptToEvaluateOnNewDocument", Map.of("source", """
				const slowly = window.setTimeout;
				window.setTimeout = (task, millis, ...more) => slowly(task, millis === 5000 ? 100 : millis, ...more);
				""")).get("identifier");
		return () -> command("Page.removeScriptToEvaluateOnNewDocument", Map.of("identifier", String.valueOf(id)));
	}

	/**
	 * Shows the page at the size of a phone.
	 */
	public void phone() {
		command("Emulation.setDeviceMetricsOverride",
				Map.of("width", 360, "height", 740, "deviceScaleFactor", 2, "mobile", true));
	}

	/**
	 * Has the user prefer dark pages.
	 */
	public void prefersDark() {
		command("Emulation.setEmulatedMedia",
				Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", "dark"))));
	}

	/**
	 * Sends a command of the protocol of Chromium's developer tools.
	 * @param name the name of the command
	 * @param parameters its parameters
	 * @return the answer
	 */
	public Map<String, Object> command(String name, Map<String, Object> parameters) {
		return driver().executeCdpCommand(name, parameters);
	}

	/**
	 * Runs a script in the page.
	 * @param javascript the body of a function
	 * @param arguments its arguments
	 * @return its result
	 */
	public @Nullable Object script(String javascript, Object... arguments) {
		return driver().executeScript(javascript, arguments);
	}

	/**
	 * Waits until the page shows such an element.
	 * @param selector a CSS selector
	 * @return the first one
	 */
	public WebElement see(String selector) {
		return see(selector, null, Function.identity());
	}

	/**
	 * Waits until the page shows such an element with a text.
	 * @param selector a CSS selector
	 * @param text a part of its text
	 * @return the first one
	 */
	public WebElement see(String selector, String text) {
		return see(selector, text, Function.identity());
	}

	/**
	 * Waits until the page shows such an element.
	 * @param selector a CSS selector
	 * @return its text
	 */
	public String read(String selector) {
		return see(selector, null, WebElement::getText);
	}

	/**
	 * Waits until the page shows such an element and it can be clicked, and clicks it
	 * once.
	 * @param selector a CSS selector
	 */
	public void click(String selector) {
		click(selector, null);
	}

	/**
	 * Waits until the page shows such an element with a text and it can be clicked, and
	 * clicks it once. A refresh of the page may replace it meanwhile.
	 * @param selector a CSS selector
	 * @param text a part of its text, or {@code null} for any text
	 */
	public void click(String selector, @Nullable String text) {
		see(selector, text, (element) -> {
			element.click();
			return element;
		});
	}

	private <T> T see(String selector, @Nullable String text, Function<WebElement, T> use) {
		String what = selector + ((text != null) ? " with the text '" + text + "'" : "");
		return eventually("is no " + what, () -> {
			WebElement element = (WebElement) driver().executeScript(FIND, selector, text);
			return (element != null) ? use.apply(element) : null;
		});
	}

	/**
	 * Waits until a condition holds on the page, which may replace elements meanwhile.
	 * @param what a description of the condition, for the message of a failure
	 * @param condition returns whether it holds
	 */
	public void until(String what, Callable<Boolean> condition) {
		eventually("is not so: " + what, () -> condition.call() ? true : null);
	}

	/**
	 * Waits until no such element is shown.
	 * @param selector a CSS selector
	 */
	public void seeNo(String selector) {
		until("no " + selector, () -> driver().executeScript(FIND, selector, null) == null);
	}

	private <T> T eventually(String otherwise, Callable<@Nullable T> condition) {
		try {
			return Objects.requireNonNull(patience().until(condition, Objects::nonNull));
		}
		catch (ConditionTimeoutException ex) {
			throw new AssertionError("After " + PATIENCE + " there " + otherwise + " on " + driver().getCurrentUrl()
					+ ", which shows: " + script("return document.body.innerText.slice(0, 3000)") + complaints(), ex);
		}
	}

	/**
	 * Elements come, go and move while a page is drawn. The answer of a dead browser does
	 * not change any more.
	 */
	private static ConditionFactory patience() {
		return await().atMost(PATIENCE)
			.pollInterval(POLL)
			.ignoreExceptionsMatching((ex) -> ex instanceof WebDriverException
					&& !(ex instanceof NoSuchSessionException) && !(ex instanceof UnreachableBrowserException));
	}

	/**
	 * The elements that the page has now.
	 * @param selector a CSS selector
	 * @return the elements
	 */
	public List<WebElement> all(String selector) {
		return driver().findElements(By.cssSelector(selector));
	}

	/**
	 * Returns the texts of the elements that the page has now.
	 * @param selector a CSS selector
	 * @return their texts
	 */
	@SuppressWarnings("unchecked")
	public List<String> texts(String selector) {
		return (List<String>) Objects.requireNonNull(
				script("return Array.from(document.querySelectorAll(arguments[0]), (each) => each.innerText.trim())",
						selector));
	}

	/**
	 * Returns what the browser wrote to its console since the last call, or since the
	 * test began: errors of scripts, violations of the CSP, failed requests.
	 * @return the lines
	 */
	public List<String> complaints() {
		return driver().manage().logs().get(LogType.BROWSER).getAll().stream().map(LogEntry::getMessage).toList();
	}

	/**
	 * Writes a screenshot of the browser.
	 * @param file the file, without {@code .png}
	 * @throws IOException if it cannot be written
	 */
	public void screenshot(Path file) throws IOException {
		Files.createDirectories(Objects.requireNonNull(file.toAbsolutePath().getParent()));
		Files.write(file.resolveSibling(file.getFileName() + ".png"), driver().getScreenshotAs(OutputType.BYTES));
	}

	/**
	 * Returns the findings of axe-core on the shown page that are at least serious. Tests
	 * that call this need axe-core on their class path.
	 * @return a line for each finding
	 */
	public List<String> barriers() {
		return barriers("{}");
	}

	/**
	 * Returns the findings of axe-core that are at least serious and depend only on the
	 * colours and the size of the page. For a page on which {@link #barriers()} checked
	 * the rest.
	 * @return a line for each finding
	 */
	public List<String> barriersToTheEye() {
		return barriers("{ runOnly: ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable'] }");
	}

	@SuppressWarnings("unchecked")
	private List<String> barriers(String options) {
		if (Boolean.FALSE.equals(script("return Boolean(window.axe)"))) {
			try (InputStream axe = Objects.requireNonNull(Browser.class.getResourceAsStream("/axe.min.js"),
					"axe.min.js is in com.deque.html.axe-core:selenium")) {
				script(new String(axe.readAllBytes(), StandardCharsets.UTF_8));
			}
			catch (IOException ex) {
				throw new IllegalStateException("axe.min.js cannot be read", ex);
			}
		}
		return (List<String>) Objects.requireNonNull(driver().executeAsyncScript("""
				const done = arguments[0];
				axe.run({ resultTypes: ['violations'], ...%s }).then(result => done(result.violations
				    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
				    .flatMap(({ impact, id, nodes }) => nodes.slice(0, 5).map(node =>
				        `${impact} ${id} at ${node.target.join(' ')}: ${node.failureSummary}`))),
				  failure => done([`axe: ${failure.message}`]));
				""".formatted(options)));
	}

}
