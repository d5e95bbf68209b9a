"""Emoji by their names between colons, as several systems write them: the characters that they stand for."""

from __future__ import annotations

import re

from builder.importer.page_work import PageWork

_CODE = re.compile(r"(?<![\w:]):([a-z0-9_+-]{1,40}):(?![\w:])")
EMOJI = {
    "+1": "👍", "-1": "👎", "100": "💯", "alarm_clock": "⏰", "alien": "👽", "ambulance": "🚑",
    "anchor": "⚓", "angel": "👼", "apple": "🍎", "arrow_down": "⬇️", "arrow_left": "⬅️",
    "arrow_right": "➡️", "arrow_up": "⬆️", "arrows_counterclockwise": "🔄", "art": "🎨",
    "astonished": "😲", "atom": "⚛️", "atom_symbol": "⚛️", "baby": "👶", "balloon": "🎈",
    "ballot_box_with_check": "☑️", "bangbang": "‼️", "bar_chart": "📊", "battery": "🔋", "bear": "🐻",
    "beer": "🍺", "beers": "🍻", "beetle": "🐞", "bell": "🔔", "bento": "🍱", "bike": "🚲", "bird": "🐦",
    "birthday": "🎂", "black_nib": "✒️", "blue_book": "📘", "blue_heart": "💙", "blush": "😊",
    "boat": "⛵", "bomb": "💣", "book": "📖", "bookmark": "🔖", "bookmark_tabs": "📑", "books": "📚",
    "boom": "💥", "bow": "🙇", "brain": "🧠", "briefcase": "💼", "broken_heart": "💔", "bug": "🐛",
    "building_construction": "🏗️", "bulb": "💡", "bullettrain_side": "🚄", "bus": "🚌",
    "bust_in_silhouette": "👤", "busts_in_silhouette": "👥", "cake": "🍰", "calendar": "📅",
    "camera": "📷", "camera_flash": "📸", "card_file_box": "🗃️", "cat": "🐱",
    "chart_with_downwards_trend": "📉", "chart_with_upwards_trend": "📈", "check_mark": "✔️",
    "checkered_flag": "🏁", "chicken": "🐔", "children_crossing": "🚸", "clap": "👏", "clapper": "🎬",
    "clipboard": "📋", "clock1": "🕐", "closed_book": "📕", "closed_lock_with_key": "🔐", "cloud": "☁️",
    "clown_face": "🤡", "coffee": "☕", "coffin": "⚰️", "collision": "💥", "computer": "💻",
    "confetti_ball": "🎊", "confused": "😕", "construction": "🚧", "construction_worker": "👷",
    "cookie": "🍪", "cool": "🆒", "copyright": "©️", "cow": "🐮", "crab": "🦀", "crescent_moon": "🌙",
    "cross_mark": "❌", "crossed_fingers": "🤞", "crown": "👑", "cry": "😢", "crystal_ball": "🔮",
    "dancer": "💃", "dancers": "👯", "dart": "🎯", "dash": "💨", "date": "📅", "desktop_computer": "🖥️",
    "diamond_shape_with_a_dot_inside": "💠", "dizzy": "💫", "dog": "🐶", "dollar": "💵", "dolphin": "🐬",
    "dove": "🕊️", "dragon": "🐉", "droplet": "💧", "earth_africa": "🌍", "earth_americas": "🌎",
    "earth_asia": "🌏", "egg": "🥚", "electric_plug": "🔌", "elephant": "🐘", "email": "📧",
    "envelope": "✉️", "exclamation": "❗", "exploding_head": "🤯", "eye": "👁️", "eyeglasses": "👓",
    "eyes": "👀", "facepalm": "🤦", "factory": "🏭", "fast_forward": "⏩", "file_cabinet": "🗄️",
    "file_folder": "📁", "fire": "🔥", "fire_engine": "🚒", "fireworks": "🎆", "fish": "🐟", "fist": "✊",
    "flags": "🎏", "flashlight": "🔦", "floppy_disk": "💾", "four": "4️⃣", "fox_face": "🦊",
    "frog": "🐸", "fuelpump": "⛽", "game_die": "🎲", "gear": "⚙️", "gem": "💎", "ghost": "👻",
    "gift": "🎁", "globe_with_meridians": "🌐", "goal_net": "🥅", "green_apple": "🍏",
    "green_book": "📗", "green_circle": "🟢", "green_heart": "💚", "grey_exclamation": "❕",
    "grey_question": "❔", "grin": "😁", "grinning": "😀", "guitar": "🎸", "hammer": "🔨",
    "hammer_and_wrench": "🛠️", "hand": "✋", "handshake": "🤝", "hankey": "💩", "hatching_chick": "🐣",
    "headphones": "🎧", "heart": "❤️", "heart_eyes": "😍", "hearts": "♥️", "heavy_check_mark": "✔️",
    "heavy_exclamation_mark": "❗", "heavy_minus_sign": "➖", "heavy_multiplication_x": "✖️",
    "heavy_plus_sign": "➕", "herb": "🌿", "hocho": "🔪", "honeybee": "🐝", "horse": "🐴",
    "hospital": "🏥", "hotsprings": "♨️", "hourglass": "⌛", "hourglass_flowing_sand": "⏳",
    "house": "🏠", "hugs": "🤗", "ice_cream": "🍨", "inbox_tray": "📥", "incoming_envelope": "📨",
    "infinity": "♾️", "information_source": "ℹ️", "innocent": "😇", "iphone": "📱",
    "jack_o_lantern": "🎃", "joy": "😂", "joystick": "🕹️", "key": "🔑", "keyboard": "⌨️",
    "kissing_heart": "😘", "koala": "🐨", "label": "🏷️", "laptop": "💻", "large_blue_circle": "🔵",
    "laughing": "😆", "leaves": "🍃", "ledger": "📒", "left_right_arrow": "↔️",
    "leftwards_arrow_with_hook": "↩️", "light_bulb": "💡", "link": "🔗", "lion": "🦁", "lipstick": "💄",
    "lock": "🔒", "lock_with_ink_pen": "🔏", "loud_sound": "🔊", "loudspeaker": "📢", "mag": "🔍",
    "mag_right": "🔎", "magnet": "🧲", "mailbox": "📫", "man_technologist": "👨‍💻", "maple_leaf": "🍁",
    "medal_sports": "🏅", "mega": "📣", "memo": "📝", "microphone": "🎤", "microscope": "🔬",
    "milky_way": "🌌", "money_with_wings": "💸", "moneybag": "💰", "monkey": "🐒", "monkey_face": "🐵",
    "monocle_face": "🧐", "mortar_board": "🎓", "mountain": "⛰️", "mouse": "🐭", "movie_camera": "🎥",
    "muscle": "💪", "mushroom": "🍄", "musical_note": "🎵", "mute": "🔇", "nail_care": "💅",
    "nerd_face": "🤓", "neutral_face": "😐", "new": "🆕", "newspaper": "📰", "no_entry": "⛔",
    "no_entry_sign": "🚫", "no_good": "🙅", "no_mouth": "😶", "notebook": "📓", "notes": "🎶",
    "nut_and_bolt": "🔩", "o": "⭕", "octocat": "🐙", "octopus": "🐙", "office": "🏢", "ok": "✔️",
    "ok_hand": "👌", "one": "1️⃣", "open_book": "📖", "open_file_folder": "📂", "open_hands": "👐",
    "orange_book": "📙", "orange_circle": "🟠", "outbox_tray": "📤", "package": "📦",
    "page_facing_up": "📄", "page_with_curl": "📃", "palm_tree": "🌴", "panda_face": "🐼",
    "paperclip": "📎", "partying_face": "🥳", "passport_control": "🛂", "pencil": "📝", "pencil2": "✏️",
    "penguin": "🐧", "pensive": "😔", "performing_arts": "🎭", "phone": "☎️", "pig": "🐷", "pill": "💊",
    "pizza": "🍕", "point_down": "👇", "point_left": "👈", "point_right": "👉", "point_up": "☝️",
    "poop": "💩", "postbox": "📮", "pray": "🙏", "printer": "🖨️", "punch": "👊", "purple_heart": "💜",
    "pushpin": "📌", "put_litter_in_its_place": "🚮", "question": "❓", "rabbit": "🐰",
    "racehorse": "🐎", "railway_car": "🚃", "rainbow": "🌈", "raised_hand": "✋", "raised_hands": "🙌",
    "raising_hand": "🙋", "ramen": "🍜", "recycle": "♻️", "red_circle": "🔴", "relaxed": "☺️",
    "relieved": "😌", "repeat": "🔁", "rewind": "⏪", "ribbon": "🎀", "robot": "🤖", "rocket": "🚀",
    "rofl": "🤣", "roller_coaster": "🎢", "rose": "🌹", "rotating_light": "🚨", "round_pushpin": "📍",
    "rugby_football": "🏉", "runner": "🏃", "running": "🏃", "sailboat": "⛵", "satellite": "📡",
    "school": "🏫", "scissors": "✂️", "scream": "😱", "scroll": "📜", "see_no_evil": "🙈",
    "seedling": "🌱", "shield": "🛡️", "ship": "🚢", "shopping_cart": "🛒", "shrug": "🤷", "skull": "💀",
    "sleeping": "😴", "sleepy": "😪", "slightly_smiling_face": "🙂", "small_blue_diamond": "🔹",
    "small_orange_diamond": "🔸", "small_red_triangle": "🔺", "smile": "😄", "smiley": "😃",
    "smirk": "😏", "snail": "🐌", "snake": "🐍", "snowflake": "❄️", "snowman": "⛄", "sob": "😭",
    "soccer": "⚽", "sos": "🆘", "sound": "🔉", "sparkle": "❇️", "sparkler": "🎇", "sparkles": "✨",
    "sparkling_heart": "💖", "speaker": "🔈", "speech_balloon": "💬", "speedboat": "🚤", "spider": "🕷️",
    "spiral_notepad": "🗒️", "star": "⭐", "star2": "🌟", "star_struck": "🤩", "stars": "🌠",
    "stop_sign": "🛑", "stopwatch": "⏱️", "straight_ruler": "📏", "stuck_out_tongue": "😛",
    "sun_with_face": "🌞", "sunflower": "🌻", "sunglasses": "😎", "sunny": "☀️", "sunrise": "🌅",
    "surfer": "🏄", "sweat": "😓", "sweat_smile": "😅", "syringe": "💉", "tada": "🎉", "taxi": "🚕",
    "tea": "🍵", "technologist": "🧑‍💻", "telephone": "☎️", "telescope": "🔭", "test_tube": "🧪",
    "thermometer": "🌡️", "thinking": "🤔", "thought_balloon": "💭", "three": "3️⃣", "thumbsdown": "👎",
    "thumbsup": "👍", "ticket": "🎫", "tiger": "🐯", "timer_clock": "⏲️", "tm": "™️", "toolbox": "🧰",
    "top": "🔝", "tophat": "🎩", "traffic_light": "🚥", "train": "🚋", "triangular_flag_on_post": "🚩",
    "triangular_ruler": "📐", "trident": "🔱", "trophy": "🏆", "tropical_fish": "🐠", "truck": "🚚",
    "turtle": "🐢", "tv": "📺", "twisted_rightwards_arrows": "🔀", "two": "2️⃣", "umbrella": "☔",
    "unamused": "😒", "unicorn": "🦄", "unlock": "🔓", "up": "🆙", "upside_down_face": "🙃", "v": "✌️",
    "vertical_traffic_light": "🚦", "video_game": "🎮", "violin": "🎻", "volcano": "🌋",
    "warning": "⚠️", "wastebasket": "🗑️", "watch": "⌚", "watermelon": "🍉", "wave": "👋",
    "wavy_dash": "〰️", "weary": "😩", "whale": "🐳", "whale2": "🐋", "wheelchair": "♿",
    "white_check_mark": "✅", "white_circle": "⚪", "white_flag": "🏳️", "wind_chime": "🎐",
    "wink": "😉", "wolf": "🐺", "woman_technologist": "👩‍💻", "world_map": "🗺️", "worried": "😟",
    "wrench": "🔧", "writing_hand": "✍️", "x": "❌", "yellow_circle": "🟡", "yellow_heart": "💛",
    "yum": "😋", "zap": "⚡", "zipper_mouth_face": "🤐", "zzz": "💤",
}  # fmt: skip
"""The characters that pages name most often."""


def rewrite_emoji(work: PageWork) -> None:
    """Write the characters for names that are known; others are text."""

    def put(found: re.Match[str]) -> None:
        if found[1] in EMOJI:
            work.rewriting.replace(found.start(), found.end(), EMOJI[found[1]])

    work.rewriting.each(_CODE, put)
