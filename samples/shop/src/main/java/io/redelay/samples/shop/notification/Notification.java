package io.redelay.samples.shop.notification;

import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Size;

/**
 * Something that the front end is to show.
 */
record Notification(@NotBlank @Size(max = 100) String id, @NotBlank @Size(max = 200) String text) {

}
