package io.redelay.test.browser;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;

import org.junit.jupiter.api.Assumptions;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/**
 * The process of a browser, and another one if it dies.
 */
final class Chromium implements AutoCloseable {

	private static final System.Logger logger = System.getLogger(Chromium.class.getName());

	/**
	 * A machine that has just installed a browser reads all of it from its disk.
	 */
	private static final Duration LONGEST_START = Duration.ofMinutes(3);

	private static final int STARTS = 3;

	private final Path program;

	private final Path driverProgram;

	private ChromeDriver driver;

	private Chromium(Path program, Path driverProgram) {
		this.program = program;
		this.driverProgram = driverProgram;
		this.driver = start(program, driverProgram);
	}

	/**
	 * Starts the browser of this machine. Skips the tests if none is installed; one that
	 * is installed and does not start fails them.
	 */
	static Chromium start() {
		Optional<Path> program = onPath("chromium", "chromium-browser", "google-chrome", "chrome");
		Optional<Path> driverProgram = onPath("chromedriver");
		Assumptions.assumeTrue(program.isPresent() && driverProgram.isPresent(),
				"Skipped: no chromium and chromedriver on the PATH (apt-get install chromium chromium-driver)");
		return new Chromium(program.orElseThrow(), driverProgram.orElseThrow());
	}

	private static Optional<Path> onPath(String... names) {
		return Stream.of(names)
			.flatMap((name) -> Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
				.map((folder) -> Path.of(folder, name)))
			.filter(Files::isExecutable)
			.findFirst();
	}

	private static ChromeDriver start(Path program, Path driverProgram) {
		for (int start = 1;; start++) {
			try {
				return tryToStart(program, driverProgram);
			}
			catch (WebDriverException ex) {
				if (start == STARTS) {
					throw ex;
				}
				logger.log(System.Logger.Level.WARNING, program + " did not start, which is tried again", ex);
			}
		}
	}

	private static ChromeDriver tryToStart(Path program, Path driverProgram) {
		LoggingPreferences logging = new LoggingPreferences();
		logging.enable(LogType.BROWSER, Level.ALL);
		ChromeOptions options = new ChromeOptions().setBinary(program.toFile());
		// A container has no sandbox for root, and little shared memory.
		options.addArguments("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
				"--lang=en-US", "--window-size=1280,900");
		// Background work of the browser takes the processor from the test.
		options.addArguments("--disable-extensions", "--disable-component-update", "--disable-background-networking",
				"--disable-sync", "--no-first-run", "--mute-audio");
		options.setCapability("goog:loggingPrefs", logging);
		ChromeDriverService service = new ChromeDriverService.Builder().usingDriverExecutable(driverProgram.toFile())
			.withTimeout(LONGEST_START)
			.build();
		try {
			ChromeDriver driver = new ChromeDriver(service, options);
			driver.manage().timeouts().scriptTimeout(Browser.PATIENCE).pageLoadTimeout(Browser.PATIENCE);
			return driver;
		}
		catch (RuntimeException ex) {
			service.stop();
			throw ex;
		}
	}

	ChromeDriver driver() {
		return this.driver;
	}

	/**
	 * Starts another browser if this one does not answer any more.
	 */
	void ensureRunning() {
		try {
			this.driver.getWindowHandle();
		}
		catch (WebDriverException ex) {
			logger.log(System.Logger.Level.WARNING, "The browser does not answer any more, and another one is started",
					ex);
			close();
			this.driver = start(this.program, this.driverProgram);
		}
	}

	@Override
	public void close() {
		try {
			this.driver.quit();
		}
		catch (WebDriverException ex) {
			logger.log(System.Logger.Level.WARNING, "The browser had ended before it was asked to", ex);
		}
	}

}
