package io.redelay.samples.shop.timeline;

import java.util.List;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/**
 * The timelines over HTTP.
 */
@RestController
class TimelineController {

	private final Timeline timeline;

	TimelineController(Timeline timeline) {
		this.timeline = timeline;
	}

	@GetMapping("/customers/{email}/timeline")
	List<TimelineEntry> find(@PathVariable String email) {
		return this.timeline.find(email);
	}

}
