package io.redelay.samples.shop.notification;

import java.util.List;

import jakarta.validation.Valid;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Notifications over HTTP: posted by services that have news, and read by the front end.
 */
@RestController
@RequestMapping("/notifications")
class NotificationController {

	private final NotificationPush push;

	private final FrontEnd frontEnd;

	NotificationController(NotificationPush push, FrontEnd frontEnd) {
		this.push = push;
		this.frontEnd = frontEnd;
	}

	@PostMapping
	@ResponseStatus(HttpStatus.ACCEPTED)
	void add(@Valid @RequestBody Notification notification) {
		this.push.publish(notification);
	}

	@GetMapping
	List<Notification> find() {
		return this.frontEnd.notifications();
	}

}
